import type { Command } from "commander";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { findProject, projectOption } from "../project-option.ts";
import { originArgument } from "./origin-argument.ts";

/** `origin remove https://app.example.com`: removes it from the list. */
export function originRemove(group: Command, context: CommandContext): void {
  group
    .command("remove")
    .description("remove an origin from a project's list")
    .argument(...originArgument)
    .option(projectOption.flags, projectOption.about)
    .action(async (origin: string, options: { project?: string }) => {
      await context.withDatabase(async (db) => {
        const projects = createProjects({ db, clock: context.clock });
        const { id, name, origins } = await findProject(projects, options.project);
        if (!(await projects.removeOrigin(id, origin)))
          throw new CommandError(
            origins.length === 0
              ? `<origin>: the project "${name}" has no list of origins. Add the origins that may call; all others are then refused.`
              : `<origin>: the project "${name}" does not list ${origin}. It lists ${origins.join(", ")}.`,
          );
        // An empty list allows every origin.
        const isLast = origins.length === 1;
        const allowedBySetting = context.config().allowedOrigins;
        if (isLast && allowedBySetting.length === 0)
          context.log("That was the last one. With an empty list, pages of every origin may call.");
        if (allowedBySetting.includes(origin))
          context.log("The setting PARLANCE_ALLOWED_ORIGINS still allows it.");
        context.print({
          text: `Removed ${origin} from the list of the project "${name}".`,
          json: { project_id: id, origin, changed: true },
        });
      });
    });
}
