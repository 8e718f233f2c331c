import type { Project, Projects } from "#server/auth/projects/projects.ts";
import { CommandError } from "./errors.ts";

/** What `--project` says on every command that has it. */
export const projectOption = {
  flags: "--project <project>",
  about: "the project, by name or id; the install's own where absent",
} as const;

/** The project of this name or id, or the first where none is named. Throws `CommandError`. */
export async function projectNamed(projects: Projects, given: string | undefined): Promise<Project> {
  const all = await projects.list();
  if (given === undefined) return all[0];
  const found = all.find(({ id }) => id === given) ?? all.find(({ name }) => name === given);
  if (found !== undefined) return found;
  const names = all.map(({ name }) => `"${name}"`).join(", ");
  throw new CommandError(`--project: there is no project "${given}". There are ${names}.`);
}
