import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commands, groups, type CommandEntry } from "#cli/commands.ts";
import type { CommandContext } from "#cli/command-context.ts";
import { startIssuer, type Issuer } from "#fixtures/issuer/issuer.ts";
import { apiKey } from "#fixtures/people.ts";
import { addMigration } from "#storage/testing/migrations.ts";
import { createOwner } from "../support/clients/browser.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { auditedDuring, expectAudited } from "../support/data/audit-entries.ts";
import { copyingEngines, engines } from "../support/postgres/postgres.ts";
import { runCommand, runCommandJson } from "../support/servers/cli.ts";
import { newPlace, startTestServer, type ServerPlace } from "../support/servers/server.ts";
import { stores, storeSettings } from "../support/servers/stores.ts";

/** The entries by what the operator types. */
const entries: Record<string, CommandEntry> = Object.fromEntries([
  ...commands.map((entry) => [nameOf(entry), entry]),
  ...Object.entries(groups).flatMap(([group, { commands: below }]) =>
    below.map((entry) => [`${group} ${nameOf(entry)}`, entry]),
  ),
]);

function nameOf({ add }: CommandEntry): string {
  const program = new Command();
  add(program, { config: () => ({}), clock: { now: () => 0 } } as never as CommandContext);
  return program.commands[0]!.name();
}

/** So that there is a copy from before. */
async function upgrade(where: ServerPlace): Promise<void> {
  addMigration("9999-later", () => Promise.resolve());
  expect(await runCommand(where, ["migrate"])).toMatchObject({ code: 0 });
}

const secret = "4f9c1a7e8b2d60355e7f1c9a0b8d6234";

describe.for(engines)("the audit log of commands (%s)", (engine) => {
  let where: ServerPlace;
  let issuer: Issuer;
  let bucket: Record<string, string> = {};
  const ids = { user: "", rule: "" };
  const file = (name: string) => join(where.dataDir, name);
  beforeAll(async () => {
    where = await newPlace(engine);
    issuer = await startIssuer();
    if (stores.includes("s3")) bucket = await storeSettings("s3");
    await writeFile(file("old.txt"), `${secret}\n`);
    const server = await startTestServer({ engine, place: where });
    const owner = await createOwner(server);
    await sendAndWait(owner, "What the owner said");
    ids.user = (await owner.call("auth.me")).user_id;
    await server.close();
  });
  afterAll(async () => {
    await issuer.close();
    await where.remove();
  });

  /** What succeeds, in this order: later ones use what earlier ones have made. */
  const successes: Record<string, () => string[]> = {
    backup: () => [file("all.parlance")],
    "backup --verify": () => [file("all.parlance")],
    restore: () => [file("all.parlance"), "--replace"],
    export: () => [file("all.zip"), "--user", ids.user],
    "export --everyone": () => [file("everyone"), "--passphrase-file", file("old.txt")],
    decrypt: () => [file("everyone"), file("everyone.zip"), "--passphrase-file", file("old.txt")],
    import: () => [file("all.zip"), "--workspace", "org_new"],
    doctor: () => [],
    "doctor --repair": () => [],
    "move-blobs": () => ["--to", "s3"],
    migrate: () => [],
    rollback: () => ["--yes"],
    "owner-link": () => [],
    "owner reset": () => [],
    "key create": () => ["my app"],
    "key list": () => [],
    "key revoke": () => ["my app"],
    "provider-key rotate": () => ["--old-secret-file", file("old.txt")],
    "app create": () => ["the shop"],
    "app list": () => [],
    "origin add": () => ["https://app.example.com"],
    "origin list": () => [],
    "origin remove": () => ["https://app.example.com"],
    "jwt-rule add": () => ["https://login.example.com/", "--jwks", issuer.jwksUrl],
    "jwt-rule list": () => [],
    "jwt-rule remove": () => [ids.rule],
    "service print": () => ["--user", "nobody"],
    add: () => ["ocr"],
    extras: () => [],
    remove: () => ["ocr"],
    "service install": () => ["--user", "nobody", "--file", file("parlance.service")],
  };
  const inTurn = Object.keys(successes);

  test.for(inTurn)("has what %s does", async (name, { skip }) => {
    if (name === "rollback") skip(!copyingEngines.includes(engine), "it needs pg_dump");
    if (name === "move-blobs") skip(!stores.includes("s3"), "it needs a bucket");
    if (name === "jwt-rule remove")
      ids.rule = (await runCommandJson<{ id: string }[]>(where, "jwt-rule", "list"))[0]!.id;
    if (name === "rollback") await upgrade(where);
    const args = [...name.split(" "), ...successes[name]!()];
    const { result, entries: written } = await auditedDuring(
      where,
      async () => await runCommand(where, args, bucket),
    );
    expect(result.code, result.err).toBe(0);
    expectAudited(entries[name.replace(/ --.*/, "")]!.audit, written);
    const actions = written.map(({ action }) => action);
    if (name === "backup") expect(actions).toEqual(["backup-made"]);
    if (name === "backup --verify") expect(actions).toEqual([]);
    for (const { text } of written) expect(text).toContain('"actor":"operator"');
    if (name === "export") expect(written[0]!.text).toContain(ids.user);
  });

  test("has the key of a copy", async () => {
    const server = await startTestServer({ engine, place: where });
    const from = ["copy", "from", server.url, "--key", apiKey];
    const copy = async (more: string[]) =>
      await auditedDuring(where, async () => await runCommand(where, [...from, "--to", server.url, ...more]));
    const given = await copy(["--to-key", apiKey]);
    expect([given.result.code, given.entries], given.result.err).toEqual([0, []]);
    const [{ id } = { id: "" }] = await runCommandJson<{ id: string }[]>(where, "app", "list");
    const own = await copy(["--app", id]);
    expect(own.result.code, own.result.err).toBe(0);
    expectAudited(entries["copy from"]!.audit, own.entries);
    expect(own.entries.map(({ action }) => action)).toEqual(["app-key-created", "app-key-revoked"]);
    await server.close();
  });

  test("is tried for every command", () => {
    const tried = new Set([...inTurn.map((name) => name.replace(/ --.*/, "")), "copy from"]);
    expect([...tried].toSorted()).toEqual(Object.keys(entries).toSorted());
  });
});
