# Plug-ins see only what is public of libhtmt; the arithmetic of axes, which plots share with its
# pages, is not.
$(PLUGINS) $(BUILD)/plot.so: $(BUILD)/runtime/base/axis.o
