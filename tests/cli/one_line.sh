# An error is one line, whatever a file is called.
status ztile compress $'no\nsuch\e[31m.f32'
