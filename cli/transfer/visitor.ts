import { createProjects } from "#server/auth/projects/projects.ts";
import { visitorNamed } from "#server/auth/find-visitor.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { Database } from "#storage/database/database.ts";
import type { Door } from "../open-database.ts";
import { CommandError } from "../errors.ts";
import { projectNamed } from "../project-named.ts";

/** Whose threads, as `export` and `import` are told. */
export type Whom = { user?: string; workspace?: string; project?: string };

export const whomOptions = {
  user: ["--user <user>", "the user's id, such as usr_0…; with --workspace, as whom to act in it"],
  workspace: ["--workspace <workspace>", "a workspace of your own backends, by the name that they give it"],
} as const;

/** Throws `CommandError` where nobody is named, or nobody is there. */
export async function visitorOf(
  db: Database,
  door: Door,
  { user, workspace, project: given }: Whom,
  make: boolean,
): Promise<Visitor> {
  if (user === undefined && workspace === undefined)
    throw new CommandError(
      "Say whose threads: --user with a user's id, or --workspace with a workspace's name.",
    );
  const project = await projectNamed(createProjects({ db, clock: door.clock }), given);
  const named = workspace === undefined ? { userId: user! } : { workspace, userId: user ?? "__SYSTEM__" };
  const visitor = await visitorNamed({ db, clock: door.clock }, project.id, named, make);
  if (visitor !== undefined) return visitor;
  throw new CommandError(
    workspace === undefined
      ? `--user: there is no user "${user}" in this project. Their id stands in the settings of their browser, and begins with usr_.`
      : `--workspace: there is no workspace "${workspace}" in this project.`,
  );
}
