import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { createApiKeys } from "#server/auth/api-keys.ts";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { Door } from "../open-database.ts";
import { CommandError } from "../errors.ts";
import { projectNamed, projectOption } from "../project-named.ts";
import { createRemote, RefusedError, serviceAddress } from "./remote.ts";
import { createSource } from "./source.ts";
import { copyThread, type Copied } from "./target.ts";

type Options = {
  key: string;
  workspace?: string;
  into?: string;
  user: string;
  to?: string;
  toKey?: string;
  project?: string;
};

/** 7 days: a key of the copy's own is revoked at its end, and ends by itself where the copy is killed. */
const ownKeyMs = 7 * 24 * 3_600_000;
/** Failures beyond these are counted only. */
const toldFailures = 100;

/** `copy from <address>`: threads and messages from another server of this protocol into this one, which runs. */
export function copyFrom(group: Command, door: Door): void {
  group
    .command("from")
    .description(
      "copy threads and messages from another server of this protocol into this one, which must be running",
    )
    .argument("<address>", "where the other service is, such as https://chat.example.org")
    .requiredOption(
      "--key <key>",
      "an API key of the other service, or @file to read it from a file",
      keyFrom,
    )
    .option(
      "--workspace <workspace>",
      "copy this workspace alone; every workspace of the key's project where absent",
    )
    .option("--into <workspace>", "the workspace to copy into; the one of the same name where absent")
    .option("--user <user>", "as whom to act, there and here", "__SYSTEM__")
    .option("--to <address>", "where this server is, if not at the HOST and PORT of its settings")
    .option(
      "--to-key <key>",
      "an API key of this server, or @file; one is made for the time of the copy where absent",
      keyFrom,
    )
    .option(projectOption.flags, projectOption.about)
    .addHelpText(
      "after",
      [
        "",
        "Copies titles, archive, metadata, external ids, branches and every message as it is stored, and when each thread",
        "was last written in. The protocol lets nobody say when a message was made: that is the time of the copy.",
        "Stop it whenever you like, and run it again to go on: nothing is copied twice.",
      ].join("\n"),
    )
    .action(async (address: string, options: Options) => {
      const to = options.to === undefined ? addressHere(door) : serviceAddress(options.to);
      await withKeyHere(
        door,
        options,
        async (toKey) => await copyAll(door, options, serviceAddress(address), to, toKey),
      );
    });
}

async function copyAll(door: Door, options: Options, from: string, to: string, toKey: string): Promise<void> {
  const { clock, note } = door;
  const { user } = options;
  const common = { user, clock, note };
  const there = createRemote({
    name: "the source",
    baseUrl: from,
    key: options.key,
    keyOption: "--key",
    ...common,
  });
  const target = createRemote({
    name: "this server",
    baseUrl: to,
    key: toKey,
    keyOption: "--to-key",
    ...common,
  });
  const source = createSource(there, options.workspace);
  const failures: { thread_id: string; error: string }[] = [];
  const counts = { copied: 0, here: 0, deleted: 0, failed: 0, messages: 0 };

  for await (const thread of source.threads()) {
    const name = `${thread.id} ${JSON.stringify(thread.title ?? "")}`;
    const workspace = options.into ?? thread.workspace_id;
    try {
      const { id, state, messages } = await copyThread({
        source,
        sourceUrl: from,
        target,
        workspace,
        thread,
      });
      counts[state]++;
      counts.messages += messages;
      note(`${lineOf(state, name, messages)}${id === thread.id ? "" : `, as ${id}`}`);
    } catch (error) {
      if (error instanceof CommandError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      counts.failed++;
      if (failures.length < toldFailures) failures.push({ thread_id: thread.id, error: message });
      note(`failed   ${name}: ${message}`);
      if (!(error instanceof RefusedError)) note(error instanceof Error ? (error.stack ?? "") : "");
    }
  }

  door.answer({
    text: [
      `Copied ${counts.copied} threads with ${counts.messages} new messages; ${counts.here} were here already`,
      ...(counts.deleted === 0 ? [] : [`, and ${counts.deleted} were deleted here and stay so`]),
      ".",
    ].join(""),
    json: {
      copied: counts.copied,
      already_here: counts.here,
      deleted_here: counts.deleted,
      failed: counts.failed,
      new_messages: counts.messages,
      failures,
    },
  });
  if (counts.failed > 0)
    throw new CommandError(
      `${counts.failed} threads could not be copied. Run it again to try them once more.`,
    );
}

function lineOf(state: Copied["state"], name: string, messages: number): string {
  switch (state) {
    case "copied":
      return `copied   ${name}: ${messages} new messages`;
    case "here":
      return `here     ${name}`;
    case "deleted":
      return `deleted  ${name}: it was deleted here, and stays so`;
  }
}

/** Runs `work` with a key of this server: the one that is given, the setting's, or one made for the while. */
async function withKeyHere(
  door: Door,
  options: Options,
  work: (key: string) => Promise<void>,
): Promise<void> {
  // The pauses of a copy keep no process alive by themselves.
  const alive = setInterval(() => {}, 60_000);
  try {
    const given = options.toKey ?? (options.project === undefined ? door.config().apiKey : undefined);
    if (given !== undefined) return await work(given);
    const { clock } = door;
    const made = await door.withDatabase(async (db) => {
      const project = await projectNamed(createProjects({ db, clock }), options.project);
      const expiresAt = clock.now() + ownKeyMs;
      return await createApiKeys({ db, clock }).make({ name: "copy", projectId: project.id, expiresAt });
    });
    try {
      await work(made.key);
    } finally {
      await door.withDatabase(async (db) => await createApiKeys({ db, clock }).revoke(made.id));
    }
  } finally {
    clearInterval(alive);
  }
}

function addressHere(door: Door): string {
  const { host, port } = door.config();
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** A key on a command line is seen by everyone on the machine; in a file it is not. */
function keyFrom(text: string): string {
  if (!text.startsWith("@")) return text.trim();
  try {
    return readFileSync(text.slice(1), "utf8").trim();
  } catch (error) {
    throw new CommandError(`The key's file ${text.slice(1)} cannot be read: ${(error as Error).message}`);
  }
}
