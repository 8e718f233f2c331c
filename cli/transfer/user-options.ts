import { createApps } from "#server/apps/apps.ts";
import { findVisitorByName, systemUserId } from "#server/apps/find-visitor-by-name.ts";
import { isOwnUser, type Visitor } from "#server/lib/route.ts";
import type { Database } from "#storage/database/database.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { findApp } from "../app-option.ts";

/** The options that select the user or workspace of `export` and `import`. */
export type UserOptions = { user?: string; workspace?: string; app?: string };

export const userOptions = {
  user: ["--user <user>", "the user's id, such as usr_0…; with --workspace, the user to act as"],
  workspace: ["--workspace <workspace>", "a workspace of your own backend, by its name there"],
} as const;

/** Who it is in the audit log: not the id of a backend's user, which the backend has made and may say who they are. */
export function auditedId(visitor: Visitor): string {
  return isOwnUser(visitor) ? visitor.userId : visitor.workspaceId;
}

/** Finds the user; with `make`, creates a missing one in a workspace. Throws `CommandError` if none is given or found. */
export async function findVisitor(
  db: Database,
  context: CommandContext,
  { user, workspace, app: given }: UserOptions,
  make: boolean,
): Promise<Visitor> {
  if (user === undefined && workspace === undefined)
    throw new CommandError(
      "Select the threads: --user with a user's id, or --workspace with a workspace's name.",
    );
  const app = await findApp(createApps({ db, clock: context.clock }), given);
  const named = workspace === undefined ? { userId: user! } : { workspace, userId: user ?? systemUserId };
  const visitor = await findVisitorByName({ db, clock: context.clock }, app.id, named, make);
  if (visitor !== undefined) return visitor;
  throw new CommandError(
    workspace === undefined
      ? `--user: there is no user "${user}" in this app. The id is in their settings in the browser and begins with usr_.`
      : `--workspace: there is no workspace "${workspace}" in this app.`,
  );
}
