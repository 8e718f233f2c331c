import { expect, test } from "vitest";
import { complaintsAbout, missingPlatforms } from "./lockfiles.ts";

const integrity = "sha512-x";

test("a lockfile that names a host is found", () => {
  const packages = { "node_modules/a": { integrity, resolved: "https://registry.example/a.tgz" } };
  expect(complaintsAbout("lock", { packages })).toEqual([
    "lock: node_modules/a names a host, https://registry.example/a.tgz.",
  ]);
});

test("a lockfile without the binaries of other machines is found", () => {
  const optionalDependencies = { "@a/linux-x64": "1.0.0", "@a/darwin-arm64": "1.0.0" };
  const packages = {
    "node_modules/a": { integrity, optionalDependencies },
    "node_modules/@a/linux-x64": { integrity },
  };
  expect(complaintsAbout("lock", { packages })).toEqual([
    "lock: @a/darwin-arm64, which node_modules/a may need, is missing.",
  ]);
});

test("a package that came without its checksum is found", () => {
  expect(complaintsAbout("lock", { packages: { "": {}, "node_modules/a": {} } })).toEqual([
    "lock: node_modules/a has no integrity.",
  ]);
});

test("a tool that has no binary for somebody's machine is found", () => {
  expect(missingPlatforms({ packages: {} })).toContain(
    "package-lock.json: typescript has no binary for darwin-arm64.",
  );
});
