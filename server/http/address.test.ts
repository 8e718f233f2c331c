import { expect, test } from "vitest";
import { callerAddress, limitKey } from "./address.ts";

test.for([
  ["without a proxy the header proves nothing", "10.0.0.1", "1.1.1.1", 0, "10.0.0.1"],
  ["with one it is what that one saw", "10.0.0.1", "1.1.1.1", 1, "1.1.1.1"],
  ["what the sender wrote in front is not believed", "10.0.0.1", "6.6.6.6, 1.1.1.1", 1, "1.1.1.1"],
  ["with two it is what the outer one saw", "10.0.0.1", "6.6.6.6, 1.1.1.1, 10.0.0.2", 2, "1.1.1.1"],
  ["fewer hops than proxies: the leftmost", "10.0.0.1", "1.1.1.1", 3, "1.1.1.1"],
  ["no header: the connection's own", "10.0.0.1", undefined, 1, "10.0.0.1"],
  ["an empty header: the connection's own", "10.0.0.1", "", 1, "10.0.0.1"],
  ["commas alone: the connection's own", "10.0.0.1", " , ,", 1, "10.0.0.1"],
  ["spaces do not matter", "10.0.0.1", "  1.1.1.1  ", 1, "1.1.1.1"],
  ["IPv4 within IPv6 is IPv4", "::ffff:10.0.0.1", undefined, 0, "10.0.0.1"],
  ["also in the header", "10.0.0.1", "::FFFF:1.1.1.1", 1, "1.1.1.1"],
  ["a connection that is gone already", undefined, undefined, 0, "unknown"],
] as const)("%s", ([, socket, header, proxies, address]) => {
  expect(callerAddress(socket, header, proxies)).toBe(address);
});

test("a header's nonsense is no longer than an address may be", () => {
  expect(callerAddress("10.0.0.1", "x".repeat(10_000), 1).length).toBeLessThanOrEqual(64);
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
  expect(limitKey(address!)).toBe(key);
});
