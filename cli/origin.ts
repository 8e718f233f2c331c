import { InvalidArgumentError, type Command } from "commander";
import { parseOrigin } from "#server/settings/origin.ts";
import { operator } from "#server/audit/audit.ts";
import { createKnownHosts } from "#server/http/known-hosts.ts";
import { createApps } from "#server/apps/apps.ts";
import type { CommandContext } from "./command-context.ts";
import { findApp, appOption } from "./app-option.ts";
import { table } from "./table.ts";
import { CommandError } from "./errors.ts";

const originArgument = ["<origin>", "such as https://app.example.com", requireOrigin] as const;

function requireOrigin(text: string): string {
  const origin = parseOrigin(text);
  if (origin === undefined)
    throw new InvalidArgumentError(
      "Write a scheme and a host, with a port if it is not the default, and no path: https://app.example.com",
    );
  return origin;
}

/**
 * `origin add https://app.example.com`: allows calls from this origin. An app with a list refuses calls from all
 * other origins.
 */
export function originAdd(group: Command, context: CommandContext): void {
  group
    .command("add")
    .description(
      "allow pages of an origin to call an app; once an app has a list, other origins may not call it",
    )
    .argument(...originArgument)
    .option(appOption.flags, appOption.about)
    .action(async (origin: string, options: { app?: string }) => {
      await context.withDatabase(async (db) => {
        const apps = createApps({ db, clock: context.clock });
        const { id, name } = await findApp(apps, options.app);
        const isNew = await apps.addOrigin(id, origin, operator);
        context.print({
          text: isNew
            ? `Pages of ${origin} can now call the app "${name}".`
            : `Pages of ${origin} can already call the app "${name}".`,
          json: { project_id: id, origin, changed: isNew },
        });
      });
    });
}

/** `origin list`: lists the origins whose pages may call, and where each was allowed. */
export function originList(group: Command, context: CommandContext): void {
  group
    .command("list")
    .description("list the origins whose pages may call")
    .option(appOption.flags, "only the origins of this app, by name or id")
    .action(async (options: { app?: string }) => {
      await context.withDatabase(async (db) => {
        const apps = createApps({ db, clock: context.clock });
        const shown = options.app === undefined ? await apps.list() : [await findApp(apps, options.app)];
        const everywhere = context.config().allowedOrigins;
        const rows = shown.flatMap(({ name, origins }) => {
          const listed = origins.map((origin) => [name, origin, "origin add"]);
          const set = everywhere.map((origin) => [name, origin, "PARLANCE_ALLOWED_ORIGINS"]);
          const all = [...set, ...listed];
          return all.length > 0 ? all : [[name, unlistedPages[nearOrigins(context)], "no list"]];
        });
        context.print({
          text: table(["APP", "MAY CALL", "BY"], rows),
          json: shown.map(({ id, name, origins }) => ({
            project_id: id,
            app: name,
            origins,
            from_setting: everywhere,
            every_origin: origins.length === 0 && everywhere.length === 0 && nearOrigins(context) === "every",
          })),
        });
      });
    });
}

export function originRemove(group: Command, context: CommandContext): void {
  group
    .command("remove")
    .description("remove an origin from an app's list")
    .argument(...originArgument)
    .option(appOption.flags, appOption.about)
    .action(async (origin: string, options: { app?: string }) => {
      await context.withDatabase(async (db) => {
        const apps = createApps({ db, clock: context.clock });
        const { id, name, origins } = await findApp(apps, options.app);
        if (!(await apps.removeOrigin(id, origin, operator)))
          throw new CommandError(
            origins.length === 0
              ? `<origin>: the app "${name}" has no list of origins. Add the origins that may call; all others are then refused.`
              : `<origin>: the app "${name}" does not list ${origin}. It lists ${origins.join(", ")}.`,
          );
        const isLast = origins.length === 1;
        const allowedBySetting = context.config().allowedOrigins;
        if (isLast && allowedBySetting.length === 0)
          context.log(
            `That was the last one. Without a list, ${unlistedPages[nearOrigins(context)]} may call.`,
          );
        if (allowedBySetting.includes(origin))
          context.log("The setting PARLANCE_ALLOWED_ORIGINS still allows it.");
        context.print({
          text: `Removed ${origin} from the list of the app "${name}".`,
          json: { project_id: id, origin, changed: true },
        });
      });
    });
}

/** The pages that may call an app without a list. */
const unlistedPages = {
  machine: "pages of this machine",
  network: "pages of this machine and its network",
  every: "pages of every origin",
};

function nearOrigins(context: CommandContext): keyof typeof unlistedPages {
  const { host, publicUrl, baseUrl, files } = context.config();
  return createKnownHosts({ host, publicUrl, urls: [baseUrl, files.origin] }).nearOrigins;
}
