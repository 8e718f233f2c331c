import { expect, test } from "vitest";
import { callerAddress, limitKeyOf } from "./client-address.ts";

test.for([
  ["without a proxy the header is ignored", "10.0.0.1", "1.1.1.1", 0, "10.0.0.1"],
  ["with one proxy, the address that it saw", "10.0.0.1", "1.1.1.1", 1, "1.1.1.1"],
  ["entries that the caller sent are ignored", "10.0.0.1", "6.6.6.6, 1.1.1.1", 1, "1.1.1.1"],
  [
    "with two proxies, the address that the outer one saw",
    "10.0.0.1",
    "6.6.6.6, 1.1.1.1, 10.0.0.2",
    2,
    "1.1.1.1",
  ],
  ["fewer entries than proxies: the leftmost", "10.0.0.1", "1.1.1.1", 3, "1.1.1.1"],
  ["no header: the socket's address", "10.0.0.1", undefined, 1, "10.0.0.1"],
  ["an empty header: the socket's address", "10.0.0.1", "", 1, "10.0.0.1"],
  ["only commas: the socket's address", "10.0.0.1", " , ,", 1, "10.0.0.1"],
  ["spaces are trimmed", "10.0.0.1", "  1.1.1.1  ", 1, "1.1.1.1"],
  ["IPv4 mapped to IPv6 becomes IPv4", "::ffff:10.0.0.1", undefined, 0, "10.0.0.1"],
  ["also in the header", "10.0.0.1", "::FFFF:1.1.1.1", 1, "1.1.1.1"],
  ["an IPv4 address with a port", "10.0.0.1", "1.1.1.1:51234", 1, "1.1.1.1"],
  ["an IPv6 address with a port", "10.0.0.1", "[2001:db8::1]:51234", 1, "2001:db8::1"],
  ["an IPv6 address in brackets", "10.0.0.1", "[2001:db8::1]", 1, "2001:db8::1"],
  ["a closed connection", undefined, undefined, 0, "unknown"],
  ["a word in the header: the socket's address", "10.0.0.1", "unknown", 1, "10.0.0.1"],
  ["a name of a host: the socket's address", "10.0.0.1", "example.com:80", 1, "10.0.0.1"],
  ["half an address: the socket's address", "10.0.0.1", "1.1", 1, "10.0.0.1"],
  ["a number out of range: the socket's address", "10.0.0.1", "1.1.1.999", 1, "10.0.0.1"],
  ["a random text: the socket's address", "10.0.0.1", "x".repeat(10_000), 1, "10.0.0.1"],
  ["with a zone: the socket's address", "10.0.0.1", `fe80::1%${"x".repeat(100)}`, 1, "10.0.0.1"],
  ["no address where the proxy writes it: the socket's", "10.0.0.1", "1.1.1.1, made-up", 1, "10.0.0.1"],
] as const)("%s", ([, socket, header, proxies, address]) => {
  expect(callerAddress(socket, header, proxies)).toBe(address);
});

test.for([
  ["10.0.0.1", "10.0.0.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:0DB8:0001:0002::1", "2001:db8:1:2"],
  ["2001:db8:1:2::", "2001:db8:1:2"],
  ["2001:db8::5:6", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["::", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["unknown", "unknown"],
])("a limit counts %s as %s", ([address, key]) => {
  expect(limitKeyOf(address!)).toBe(key);
});
