import type { Command } from "commander";
import { operator } from "#server/audit/audit.ts";
import { createApiKeys, type ApiKey } from "#server/apps/api-keys.ts";
import { createApps } from "#server/apps/apps.ts";
import { isoTime } from "#server/lib/clock.ts";
import { commandLine } from "#server/lib/program.ts";
import type { CommandContext } from "./command-context.ts";
import { parseName } from "./parse-name.ts";
import { findApp, appOption } from "./app-option.ts";
import { formatTime, parseFutureTime } from "./format-date.ts";
import { table } from "./table.ts";
import { CommandError } from "./errors.ts";

/** `key create "my app"`: creates a key and prints it. It cannot be shown again. */
export function keyCreate(group: Command, context: CommandContext): void {
  group
    .command("create")
    .description("create an API key; it is shown once and works at once")
    .argument("<name>", 'its purpose, such as "my app"', parseName)
    .option(appOption.flags, appOption.about)
    .option(
      "--expires <when>",
      "90d, 12h or 8w from now, or a day such as 2027-01-31; by default never",
      (text) => parseFutureTime(text, context.clock.now()),
    )
    .action(async (name: string, options: { app?: string; expires?: number }) => {
      await context.withDatabase(async (db) => {
        const { clock } = context;
        const app = await findApp(createApps({ db, clock }), options.app);
        const made = await createApiKeys({ db, clock }).create(
          { name, appId: app.id, expiresAt: options.expires },
          operator,
        );
        const end = made.expires_at === null ? "never expires" : `expires ${formatTime(made.expires_at)}`;
        context.print({
          text: [
            made.key,
            "",
            `Store it now: it is not shown again. It is the key "${made.name}" of the app "${app.name}" and ${end}.`,
            "It can act for every user of that app, so keep it on a server, never in a browser.",
          ].join("\n"),
          json: {
            id: made.id,
            key: made.key,
            name: made.name,
            project_id: made.app_id,
            expires_at: isoTime(made.expires_at),
          },
        });
      });
    });
}

/** `key list`: lists API keys by their prefixes. */
export function keyList(group: Command, context: CommandContext): void {
  group
    .command("list")
    .description("list the API keys by their prefixes")
    .option(appOption.flags, "only the keys of this app, by name or id")
    .option("--all", "include revoked and expired keys")
    .action(async (options: { app?: string; all?: true }) => {
      await context.withDatabase(async (db) => {
        const { clock } = context;
        const apps = createApps({ db, clock });
        const only = options.app === undefined ? undefined : await findApp(apps, options.app);
        const names = new Map((await apps.list()).map(({ id, name }) => [id, name]));
        const keys = (await createApiKeys({ db, clock }).list())
          .filter(({ app_id: id }) => only === undefined || only.id === id)
          .map((key) => ({ ...key, state: stateOf(key, clock.now()) }))
          .filter(({ state }) => options.all === true || state === "active");
        const app = (key: ApiKey): string => names.get(key.app_id) ?? key.app_id;
        context.print({
          text:
            keys.length === 0
              ? `There are no keys. Create one with: ${commandLine} key create "my app"`
              : table(
                  ["KEY", "NAME", "APP", "CREATED", "LAST USED", "EXPIRES", "ID"],
                  keys.map((key) => [
                    `${key.prefix}…`,
                    key.name,
                    app(key),
                    formatTime(key.created_at),
                    key.last_used_at === null ? "not yet" : formatTime(key.last_used_at),
                    formatExpiry(key),
                    key.id,
                  ]),
                ),
          json: keys.map((key) => ({
            id: key.id,
            prefix: key.prefix,
            name: key.name,
            project_id: key.app_id,
            app: app(key),
            state: key.state,
            created_at: isoTime(key.created_at),
            last_used_at: isoTime(key.last_used_at),
            expires_at: isoTime(key.expires_at),
            revoked_at: isoTime(key.revoked_at),
          })),
        });
      });
    });
}

function stateOf(key: ApiKey, nowMs: number): "active" | "revoked" | "expired" {
  if (key.revoked_at !== null) return "revoked";
  return key.expires_at !== null && key.expires_at <= nowMs ? "expired" : "active";
}

function formatExpiry(key: ApiKey): string {
  if (key.revoked_at !== null) return `revoked ${formatTime(key.revoked_at)}`;
  return key.expires_at === null ? "never" : formatTime(key.expires_at);
}

/** `key revoke "my app"`: refuses the key from the next request. */
export function keyRevoke(group: Command, context: CommandContext): void {
  group
    .command("revoke")
    .description("revoke an API key and every token created with it")
    .argument("<key>", "its id, its prefix in key list, its name, or the key itself")
    .action(async (given: string) => {
      await context.withDatabase(async (db) => {
        const keys = createApiKeys({ db, clock: context.clock });
        const { id } = (await keys.find(given)) ?? selectKey(await keys.list(), given);
        const revoked = await keys.revoke(id, operator);
        if (revoked === undefined) throw new CommandError(`<key>: the key ${id} was just deleted.`);
        if (revoked.fromSetting)
          context.log(
            "It comes from the setting PARLANCE_API_KEY, so the next start of the server adds it again. Remove it there too.",
          );
        context.print({
          text: `Revoked: ${revoked.prefix}… "${revoked.name}".`,
          json: { id, name: revoked.name, revoked_at: isoTime(revoked.revoked_at) },
        });
      });
    });
}

function selectKey(keys: ApiKey[], given: string): ApiKey {
  const word = given.replace(/(…|\.\.\.)$/, "");
  const found = keys.filter((key) => key.id === word || key.prefix === word || key.name === given);
  const active = found.filter((key) => key.revoked_at === null);
  const [first, ...more] = active.length > 0 ? active : found;
  if (first === undefined)
    throw new CommandError(`<key>: there is no key "${mask(given)}". See: ${commandLine} key list --all`);
  if (more.length > 0)
    throw new CommandError(
      `<key>: ${more.length + 1} keys match "${mask(given)}". Use an id: ${[first, ...more].map(({ id }) => id).join(", ")}.`,
    );
  return first;
}

/** Masks a whole key, because error output may be logged. */
function mask(given: string): string {
  return given.startsWith("sk_") && given.length > 20 ? `${given.slice(0, 16)}…` : given;
}
