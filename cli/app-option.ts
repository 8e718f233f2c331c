import type { Project, Projects } from "#server/apps/apps.ts";
import { CommandError } from "./errors.ts";

/** The option `--project`, the same for every command that has it. */
export const projectOption = {
  flags: "--project <project>",
  about: "the project, by name or id; by default the first",
} as const;

/** Returns the project with this name or id, or the first if none is given. Throws `CommandError`. */
export async function findProject(projects: Projects, given: string | undefined): Promise<Project> {
  const all = await projects.list();
  if (given === undefined) return all[0];
  const found = all.find(({ id }) => id === given) ?? all.find(({ name }) => name === given);
  if (found !== undefined) return found;
  const names = all.map(({ name }) => `"${name}"`).join(", ");
  throw new CommandError(`--project: there is no project "${given}". There are ${names}.`);
}
