module chatdouble.test/go

go 1.19
