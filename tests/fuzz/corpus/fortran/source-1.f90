module t
contains
  recursive subroutine s(lo, hi, a, b)
    integer, intent(in) :: lo(3), hi(3)
    real(8) :: a(lo(1):hi(1),0:9), b(-4:4), c(3)
    integer :: i, j
    do i = 1, 3
      c(i) = 1/b(i)**2
    end do
    do j = 0, 9
      do 10 i = lo(1), hi(1)
        a(i,j) = max(a(i-1,j), 0d0) + d(a(i,j:j+8)) + sqrt(b(j))
10    continue
    end do
    a(:,1) = matmul(a(:,1:3), c) + sum(b(1:4))
    where (a > 0) a = 1/a
    associate (q => a(:,2))
      q(3) = q(4)
    end associate
    call s(lo, hi, a(:,:), b)
  end subroutine
  function d(u)
    real(8) :: u(-4:4), d
    d = u(1) - u(-1)
  end function
end module
