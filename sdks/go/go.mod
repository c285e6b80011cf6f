module github.com/duetime/duetime/sdks/go

go 1.24
