import type { App, Apps } from "#server/apps/apps.ts";
import { CommandError } from "./errors.ts";

/** The option `--app`, the same for every command that has it. */
export const appOption = {
  flags: "--app <app>",
  about: "the app, by name or id; by default the first",
} as const;

/** Returns the app with this name or id, or the first if none is given. Throws `CommandError`. */
export async function findApp(apps: Apps, given: string | undefined): Promise<App> {
  const all = await apps.list();
  if (given === undefined) return all[0];
  const found = all.find(({ id }) => id === given) ?? all.find(({ name }) => name === given);
  if (found !== undefined) return found;
  const names = all.map(({ name }) => `"${name}"`).join(", ");
  throw new CommandError(`--app: there is no app "${given}". There are ${names}.`);
}
