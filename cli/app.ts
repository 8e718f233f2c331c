import type { Command } from "commander";
import { operator } from "#server/audit/audit.ts";
import { createApps } from "#server/apps/apps.ts";
import { isoTime } from "#server/lib/clock.ts";
import { commandLine } from "#server/lib/program.ts";
import type { CommandContext } from "./command-context.ts";
import { CommandError } from "./errors.ts";
import { parseName } from "./parse-name.ts";
import { table } from "./table.ts";
import { formatTime } from "./format-date.ts";

/** `app create "shop"`: a tenant with its own keys, workspaces and threads. */
export function appCreate(group: Command, context: CommandContext): void {
  group
    .command("create")
    .description("create an app with its own keys, users and threads")
    .argument("<name>", "its name", parseName)
    .action(async (name: string) => {
      const made = await context.withDatabase(
        async (db) => await createApps({ db, clock: context.clock }).create(name, operator),
      );
      if (made === undefined)
        throw new CommandError(`<name>: there already is an app "${name}". Choose another name.`);
      context.print({
        text: `Created the app "${name}", ${made.id}. Create a key for it: ${commandLine} key create "my app" --app ${JSON.stringify(name)}`,
        json: { id: made.id, name },
      });
    });
}

/** `app list`: lists the tenants. Users without an account belong to the first. */
export function appList(group: Command, context: CommandContext): void {
  group
    .command("list")
    .description("list the apps; users without an account belong to the first")
    .action(async () => {
      const apps = await context.withDatabase(
        async (db) => await createApps({ db, clock: context.clock }).list(),
      );
      context.print({
        text: table(
          ["NAME", "CREATED", "ORIGINS", "ID"],
          apps.map(({ id, name, created_at: createdAt, origins }) => [
            name,
            formatTime(createdAt),
            origins.length === 0 ? "none listed" : String(origins.length),
            id,
          ]),
        ),
        json: apps.map(({ id, name, created_at: createdAt, origins }) => ({
          id,
          name,
          created_at: isoTime(createdAt),
          allowed_origins: origins,
        })),
      });
    });
}
