      subroutine g(n, m, v)
      integer n, m, k(2)
      real v(n), z
      common /w/ z
      sf(y) = y * y + z
      k(1) = n
      k(2) = m
      do 20 i = 1, n
      do 20 j = 1, 2
   20 v(i) = sf(v(i)) + k(j)
      if (n .gt. 3) then
         write(*,*) (v(i), i = 1, n), 'x''y'
      else if (n .lt. 2) then
         goto 30
      endif
   30 continue
      do while (n .gt. 1)
         n = n / 2
         if (n .eq. 7) exit
      end do
      forall (i = 1:n, v(i) > 0) v(i) = real(i)
      select case (m)
      case (1:2)
         stop
      end select
      block
        integer l
        do concurrent (l = 1:n)
          v(l) = merge(v(l), 1.0, v(l) > z)
        end do
      end block
      end
