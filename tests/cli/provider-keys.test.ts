import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test, onTestFinished } from "vitest";
import { startModelServer } from "#fixtures/model-server/model-server.ts";
import { runCommand } from "../support/servers/cli.ts";
import { engines } from "../support/postgres/postgres.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { startTestServer, type EngineName, type ServerPlace } from "../support/servers/server.ts";
import { placeForTest } from "../support/test-scope.ts";

const apiKey = "sk-very-secret-4321";
const [oldSecret, newSecret] = [
  "an old secret that is long enough to be one",
  "a new secret that is long enough to be one",
];

async function fileWith(place: ServerPlace, text: string): Promise<string> {
  const path = join(place.dataDir, `${text.slice(0, 5).trim()}.txt`);
  await writeFile(path, `${text}\n`);
  return path;
}

/** The state of the one provider, as a server with this secret sees it. */
async function stateIn(engine: EngineName, place: ServerPlace, secret: string) {
  const server = await startTestServer({ engine, place, settings: { PARLANCE_SECRET: secret } });
  const { providers } = await (await server.owner()).call("providers.list");
  await server.close();
  return providers.map(({ name, state, key_last_four: end }) => [name, state, end]);
}

describe.each(engines)("the keys of model providers (%s)", (engine) => {
  async function placeWithProvider(secret: string): Promise<ServerPlace> {
    const service = await startModelServer({ apiKey });
    onTestFinished(service.close);
    const place = await placeForTest(engine);
    const server = await startTestServer({ engine, place, settings: { PARLANCE_SECRET: secret } });
    const body = { kind: "openai-compatible", name: "Kept", base_url: service.url, api_key: apiKey } as const;
    await (await server.owner()).call("providers.create", { body });
    await server.close();
    return place;
  }

  test("are encrypted with a new secret by a command", async () => {
    const place = await placeWithProvider(oldSecret);
    const options = ["--old-secret-file", await fileWith(place, oldSecret)];
    const rotate = async () =>
      await runCommand(place, ["provider-key", "rotate", ...options], { PARLANCE_SECRET: newSecret });
    expect(await rotate()).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringMatching(/^1 keys/) as string,
    });
    expect(await stateIn(engine, place, newSecret)).toEqual([["Kept", "ready", "4321"]]);
    expect((await rotate()).out).toMatch(/^0 keys/);
  });

  test("are in a backup only with a passphrase, and restored only with the same one", async () => {
    const place = await placeWithProvider(oldSecret);
    const settings = { PARLANCE_SECRET: oldSecret };
    const [bare, full] = [join(place.dataDir, "bare"), join(place.dataDir, "full")];
    const words = await fileWith(place, "correct horse battery staple");
    const wrong = await fileWith(place, "wrong horse battery staple");
    const without = await runCommand(place, ["backup", bare], settings);
    expect(without).toMatchObject({
      code: 0,
      err: expect.stringContaining("keys of model providers are not") as string,
    });
    expect((await runCommand(place, ["backup", full, "--keys-passphrase-file", words], settings)).code).toBe(
      0,
    );
    for (const path of [bare, full]) {
      const archive = gunzipSync(await readFile(path)).toString();
      expect(archive).not.toContain(apiKey);
      expect(archive).not.toContain("model_provider_keys");
    }

    const target = await placeForTest(engine);
    const restore = async (...args: string[]) =>
      await runCommand(target, ["restore", ...args], { PARLANCE_SECRET: newSecret });
    expect(await restore(full, "--keys-passphrase-file", wrong)).toMatchObject({
      code: 1,
      err: expect.stringContaining("not the passphrase of the backup") as string,
    });
    expect((await restore(bare, "--keys-passphrase-file", words)).err).toContain("contains no keys");
    expect((await restore(bare)).code).toBe(0);
    const counted = await rawSql(target, (run) => run("select count(*) as keys from model_provider_keys"));
    expect(Number(counted[0]!.keys)).toBe(0);
    expect((await restore(full, "--replace", "--keys-passphrase-file", words)).code).toBe(0);
    expect(await stateIn(engine, target, newSecret)).toEqual([["Kept", "ready", "4321"]]);
    // Ten commands and two servers.
  }, 60_000);
});
