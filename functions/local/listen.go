package main

import (
	"fmt"
	"io"
	"net"
	"strconv"
)

// withHost returns the address of -addr. Only a port means one of this machine, which no other
// machine can reach. A port that is too high is refused when the server listens.
func withHost(addr string) string {
	if _, err := strconv.ParseUint(addr, 10, 64); err == nil {
		return "127.0.0.1:" + addr
	}
	return addr
}

// listen listens on the address of -addr.
func listen(addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", withHost(addr))
	if err != nil {
		return nil, fmt.Errorf("%w; choose another with -addr, such as -addr 8788", err)
	}
	return listener, nil
}

// exposed reports whether other machines may reach an address.
func exposed(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return !ok || !tcp.IP.IsLoopback()
}

// warn tells the user that other machines may reach the server, and how to prevent it. hidden says
// that no bearer token is printed.
func warn(out io.Writer, addr net.Addr, hidden bool) {
	port := "8787"
	if tcp, ok := addr.(*net.TCPAddr); ok {
		port = strconv.Itoa(tcp.Port)
	}
	fmt.Fprintf(out, "Warning: every machine that reaches %s can connect, and the connection is not encrypted.\n"+
		"Use -addr %s unless this is a container or a network that you trust.\n", addr, port)
	if hidden {
		fmt.Fprintln(out, "Neither this output nor the front page shows a bearer token; -print-bearer shows it.")
	}
	fmt.Fprintln(out)
}
