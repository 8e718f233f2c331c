import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenLocally } from "#fixtures/local-server.ts";
import { createNpm, RegistryUnreachable, type Npm } from "./npm.ts";
import { resolveNewApp } from "./resolve-new-app.ts";

// npm itself, with a registry on this machine.

type Manifest = { dependencies?: Record<string, string>; peerDependencies?: Record<string, string> };

/** Packages by name, with their versions from the oldest to the newest. */
let packages: Record<string, Record<string, Manifest>>;
let registry: Awaited<ReturnType<typeof listenLocally>>;
let folder: string;
let npm: Npm;

beforeEach(async () => {
  packages = {};
  registry = await listenLocally(
    createServer((request, response) => {
      const name = decodeURIComponent(request.url ?? "").slice(1);
      const versions = packages[name];
      if (versions === undefined) return void response.writeHead(404).end("{}");
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(packumentOf(name, versions)));
    }),
  );
  folder = mkdtempSync(join(tmpdir(), "parlance-new-app-"));
  npm = createNpm(npmEnv(registry.url));
});
afterEach(async () => {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const npmEnv = (url: string) => ({
  npm_config_registry: url,
  npm_config_cache: join(folder, "cache"),
  npm_config_fetch_retries: "0",
});

function packumentOf(name: string, versions: Record<string, Manifest>) {
  // npm takes versions with the same hash for the same.
  const dist = (version: string) => ({
    tarball: `${registry.url}/none.tgz`,
    shasum: createHash("sha1").update(`${name} ${version}`).digest("hex"),
  });
  return {
    name,
    "dist-tags": { latest: Object.keys(versions).at(-1) },
    versions: Object.fromEntries(
      Object.entries(versions).map(([version, manifest]) => [
        version,
        { name, version, dist: dist(version), ...manifest },
      ]),
    ),
  };
}

test("a new app gets the newest versions that its ranges allow, and the gate names each newer one with the reason", async () => {
  packages = {
    "@assistant-ui/react": { "0.1.0": { dependencies: { "@assistant-ui/core": "^0.3.0" } } },
    "@assistant-ui/core": { "0.3.1": {}, "0.3.35": {}, "0.4.0": {} },
    ai: { "7.0.1": {}, "7.1.0": {}, "8.0.0-beta.1": {}, "8.0.0": {} },
  };
  expect(await resolveNewApp(folder, { "@assistant-ui/react": "latest", ai: "^7.0.1" }, [], npm)).toEqual({
    installed: [
      { name: "@assistant-ui/core", version: "0.3.35" },
      { name: "@assistant-ui/react", version: "0.1.0" },
      { name: "ai", version: "7.1.0" },
    ],
    skipped: [
      { name: "@assistant-ui/core", version: "0.4.0", reason: "excluded by ^0.3.0 of @assistant-ui/react" },
      { name: "ai", version: "8.0.0", reason: "excluded by ^7.0.1 of the new app" },
    ],
  });
});

test("of an addition that npm refuses, the newest version that it accepts is taken, beside all other packages", async () => {
  packages = {
    "@assistant-ui/react": { "0.1.0": {} },
    "@assistant-ui/kit": {
      "0.0.1": { dependencies: { "assistant-cloud": "^0.1.0" } },
      "0.0.2": { dependencies: { "assistant-cloud": "^0.9.0" } },
    },
    "@assistant-ui/broken": { "1.0.0": { dependencies: { "@assistant-ui/nowhere": "^1.0.0" } } },
    "assistant-cloud": { "0.1.43": {}, "0.2.11": {} },
  };
  const additions = [
    { "assistant-cloud": "latest" },
    { "@assistant-ui/kit": "latest" },
    { "@assistant-ui/broken": "latest" },
  ];
  const { installed, skipped } = await resolveNewApp(
    folder,
    { "@assistant-ui/react": "latest" },
    additions,
    npm,
  );
  expect(installed).toEqual([
    { name: "@assistant-ui/kit", version: "0.0.1" },
    { name: "assistant-cloud", version: "0.1.43", below: "@assistant-ui/kit" },
    { name: "@assistant-ui/react", version: "0.1.0" },
    { name: "assistant-cloud", version: "0.2.11" },
  ]);
  expect(skipped).toEqual([
    {
      name: "@assistant-ui/kit",
      version: "0.0.2",
      reason: "No matching version found for assistant-cloud@^0.9.0.",
    },
    { name: "@assistant-ui/broken", version: "1.0.0", reason: expect.stringMatching(/nowhere/) as string },
  ]);
});

test("a template that npm refuses is an error with npm's reason", async () => {
  packages = { "@assistant-ui/react": { "0.1.0": { dependencies: { "@assistant-ui/core": "^9.0.0" } } } };
  packages["@assistant-ui/core"] = { "0.3.35": {} };
  await expect(resolveNewApp(folder, { "@assistant-ui/react": "latest" }, [], npm)).rejects.toThrow(
    /No matching version found for @assistant-ui\/core@\^9/,
  );
});

test("without a registry nothing is known", async () => {
  const offline = createNpm(npmEnv("http://127.0.0.1:1"));
  await expect(resolveNewApp(folder, { ai: "^7.0.1" }, [], offline)).rejects.toThrow(RegistryUnreachable);
});
