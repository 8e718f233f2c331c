import { describe, expect, test } from "vitest";
import { createKnownHosts } from "./known-hosts.ts";

const loopback = [
  "localhost",
  "localhost:3000",
  "app.localhost:1",
  "127.0.0.1:3000",
  "127.8.9.1",
  "[::1]:3000",
];
const network = [
  "192.168.1.7:3000",
  "10.0.0.1",
  "[fd00::1]:3000",
  "server:3000",
  "server.local",
  "chat.lan",
  "chat.corp",
];
const foreign = [
  "evil.example",
  "evil.example:3000",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "1e100.net",
];

const none = { publicUrl: undefined, urls: [] };
const originsOf = (hosts: string[]) => hosts.map((host) => `http://${host}`);

describe("a server that listens", () => {
  test.for(["127.0.0.1", "localhost", "::1"])("on %s knows the names of its own machine alone", (host) => {
    const { isKnown, isOriginNear } = createKnownHosts({ host, ...none });
    for (const name of loopback) expect(isKnown(name), name).toBe(true);
    for (const name of [...network, ...foreign, "", "a b"]) expect(isKnown(name), name).toBe(false);
    for (const origin of [...originsOf(loopback), "capacitor://localhost"])
      expect(isOriginNear(origin), origin).toBe(true);
    for (const origin of [...originsOf([...network, ...foreign]), "null", "file://"])
      expect(isOriginNear(origin), origin).toBe(false);
  });

  test.for(["0.0.0.0", "::", "192.168.1.7"])(
    "on %s also knows addresses, and names of its network",
    (host) => {
      const { isKnown, isOriginNear } = createKnownHosts({ host, ...none });
      for (const name of [...loopback, ...network, "203.0.113.9:3000"])
        expect(isKnown(name), name).toBe(true);
      for (const name of foreign) expect(isKnown(name), name).toBe(false);
      for (const origin of originsOf([...loopback, ...network]))
        expect(isOriginNear(origin), origin).toBe(true);
      for (const origin of [...originsOf([...foreign, "203.0.113.9:3000"]), "null"])
        expect(isOriginNear(origin), origin).toBe(false);
    },
  );

  test("behind a proxy knows the operator's URLs, and is near pages of every origin if it is public", () => {
    const urls = ["https://files.example.com", undefined];
    const proxied = (publicUrl: string) => createKnownHosts({ host: "127.0.0.1", publicUrl, urls });
    const { isKnown, isOriginNear } = proxied("https://chat.example.com");
    for (const name of [...loopback, "chat.example.com", "Chat.Example.com.:8443", "files.example.com"])
      expect(isKnown(name), name).toBe(true);
    for (const name of [...foreign, ...network]) expect(isKnown(name), name).toBe(false);
    expect(isOriginNear("https://evil.example")).toBe(true);
    for (const near of [
      "http://localhost:8080",
      "http://chat.lan",
      "https://chat.corp",
      "http://192.168.1.7",
    ])
      expect(proxied(near).isOriginNear("https://evil.example"), near).toBe(false);
  });
});
