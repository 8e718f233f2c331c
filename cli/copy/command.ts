import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { operator } from "#server/audit/audit.ts";
import { createApiKeys } from "#server/apps/api-keys.ts";
import { createApps } from "#server/apps/apps.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { findApp, appOption } from "../app-option.ts";
import { createRemote, RefusedError, serviceAddress } from "./remote.ts";
import { createSource } from "./source.ts";
import { copyThread, type CopiedThread } from "./target.ts";

type Options = {
  key: string;
  workspace?: string;
  into?: string;
  user: string;
  to?: string;
  toKey?: string;
  app?: string;
};

/** 7 days. The copy revokes its temporary key at the end; if the copy is killed, the key expires. */
const temporaryKeyMs = 7 * 24 * 3_600_000;
/** Further failures are only counted. */
const listedFailuresMax = 100;

/** `copy from <address>`: copies threads and messages from another server of this protocol into this one, which must be running. */
export function copyFrom(group: Command, context: CommandContext): void {
  group
    .command("from")
    .description(
      "copy threads and messages from another server of this protocol into this one, which must be running",
    )
    .argument("<address>", "the address of the other service, such as https://chat.example.org")
    .requiredOption(
      "--key <key>",
      "an API key of the other service, or @file to read it from a file",
      parseKey,
    )
    .option(
      "--workspace <workspace>",
      "copy only this workspace; by default every workspace of the key's app",
    )
    .option("--into <workspace>", "the workspace to copy into; by default the one of the same name")
    .option("--user <user>", "the user to act as, on both servers", "__SYSTEM__")
    .option("--to <address>", "the address of this server, if not at the HOST and PORT of its settings")
    .option(
      "--to-key <key>",
      "an API key of this server, or @file; by default the copy creates a temporary one",
      parseKey,
    )
    .option(appOption.flags, appOption.about)
    .addHelpText(
      "after",
      [
        "",
        "Copies titles, archive, metadata, external ids, branches, every message as it is stored, and the time of each thread's",
        "last message. The protocol does not allow setting the time of a message, so that is the time of the copy.",
        "You can stop it at any time and run it again to continue: nothing is copied twice.",
      ].join("\n"),
    )
    .action(async (address: string, options: Options) => {
      const to = options.to === undefined ? localAddress(context) : serviceAddress(options.to);
      await withTargetKey(
        context,
        options,
        async (toKey) => await copyAll(context, options, serviceAddress(address), to, toKey),
      );
    });
}

async function copyAll(
  context: CommandContext,
  options: Options,
  from: string,
  to: string,
  toKey: string,
): Promise<void> {
  const { clock, log: note } = context;
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
      note(`${formatThread(state, name, messages)}${id === thread.id ? "" : `, as ${id}`}`);
    } catch (error) {
      if (error instanceof CommandError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      counts.failed++;
      if (failures.length < listedFailuresMax) failures.push({ thread_id: thread.id, error: message });
      note(`failed   ${name}: ${message}`);
      if (!(error instanceof RefusedError)) note(error instanceof Error ? (error.stack ?? "") : "");
    }
  }

  context.print({
    text: [
      `Copied ${counts.copied} threads with ${counts.messages} new messages; ${counts.here} were already here`,
      ...(counts.deleted === 0 ? [] : [`, and ${counts.deleted} were deleted here and stay deleted`]),
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
    throw new CommandError(`${counts.failed} threads could not be copied. Run it again to retry them.`);
}

function formatThread(state: CopiedThread["state"], name: string, messages: number): string {
  switch (state) {
    case "copied":
      return `copied   ${name}: ${messages} new messages`;
    case "here":
      return `here     ${name}`;
    case "deleted":
      return `deleted  ${name}: it was deleted here, and stays deleted`;
  }
}

/** Runs `work` with a key of this server: the given one, the setting's, or a temporary one. */
async function withTargetKey(
  context: CommandContext,
  options: Options,
  work: (key: string) => Promise<void>,
): Promise<void> {
  // The timers between requests do not keep the process alive.
  const alive = setInterval(() => {}, 60_000);
  try {
    const given = options.toKey ?? (options.app === undefined ? context.config().apiKey : undefined);
    if (given !== undefined) return await work(given);
    const { clock } = context;
    const made = await context.withDatabase(async (db) => {
      const app = await findApp(createApps({ db, clock }), options.app);
      const expiresAt = clock.now() + temporaryKeyMs;
      return await createApiKeys({ db, clock }).create({ name: "copy", appId: app.id, expiresAt }, operator);
    });
    try {
      await work(made.key);
    } finally {
      await context.withDatabase(async (db) => await createApiKeys({ db, clock }).revoke(made.id, operator));
    }
  } finally {
    clearInterval(alive);
  }
}

function localAddress(context: CommandContext): string {
  const { host, port } = context.config();
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Reads the key from a file if the text begins with @, because all users of a machine can see a command line. */
function parseKey(text: string): string {
  if (!text.startsWith("@")) return text.trim();
  try {
    return readFileSync(text.slice(1), "utf8").trim();
  } catch (error) {
    throw new CommandError(`The key's file ${text.slice(1)} cannot be read: ${(error as Error).message}`);
  }
}
