import { expect, test } from "vitest";
import { complaintsAbout, missingPlatforms } from "./lockfiles.ts";

const integrity = "sha512-x";

test("reports a lockfile that names a host", () => {
  const packages = { "node_modules/a": { integrity, resolved: "https://registry.example/a.tgz" } };
  expect(complaintsAbout("lock", { packages })).toEqual([
    "lock: node_modules/a names a host, https://registry.example/a.tgz.",
  ]);
});

test("reports a lockfile without the binaries of other platforms", () => {
  const optionalDependencies = { "@a/linux-x64": "1.0.0", "@a/darwin-arm64": "1.0.0" };
  const packages = {
    "node_modules/a": { integrity, optionalDependencies },
    "node_modules/@a/linux-x64": { integrity },
  };
  expect(complaintsAbout("lock", { packages })).toEqual([
    "lock: @a/darwin-arm64, which node_modules/a may need, is missing.",
  ]);
});

test("reports a package without a checksum", () => {
  expect(complaintsAbout("lock", { packages: { "": {}, "node_modules/a": {} } })).toEqual([
    "lock: node_modules/a has no integrity.",
  ]);
});

test("reports a tool that has no binary for a platform", () => {
  expect(missingPlatforms({ packages: {} })).toContain(
    "package-lock.json: typescript has no binary for darwin-arm64.",
  );
});
