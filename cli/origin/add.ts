import type { Command } from "commander";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { CommandContext } from "../command-context.ts";
import { findProject, projectOption } from "../project-option.ts";
import { originArgument } from "./origin-argument.ts";

/** `origin add https://app.example.com`: allows calls from this origin. Once a project has a list, others may not call it. */
export function originAdd(group: Command, context: CommandContext): void {
  group
    .command("add")
    .description(
      "allow pages of an origin to call a project; once a project has a list, other origins may not call it",
    )
    .argument(...originArgument)
    .option(projectOption.flags, projectOption.about)
    .action(async (origin: string, options: { project?: string }) => {
      await context.withDatabase(async (db) => {
        const projects = createProjects({ db, clock: context.clock });
        const { id, name } = await findProject(projects, options.project);
        const isNew = await projects.addOrigin(id, origin);
        context.print({
          text: isNew
            ? `Pages of ${origin} can now call the project "${name}".`
            : `Pages of ${origin} can already call the project "${name}".`,
          json: { project_id: id, origin, changed: isNew },
        });
      });
    });
}
