import type { Command } from "commander";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { CommandContext } from "../command-context.ts";
import { findProject, projectOption } from "../project-option.ts";
import { table } from "../table.ts";

/** `origin list`: lists the origins whose pages may call, and where each was allowed. */
export function originList(group: Command, context: CommandContext): void {
  group
    .command("list")
    .description("list the origins whose pages may call")
    .option(projectOption.flags, "only the origins of this project, by name or id")
    .action(async (options: { project?: string }) => {
      await context.withDatabase(async (db) => {
        const projects = createProjects({ db, clock: context.clock });
        const shown =
          options.project === undefined
            ? await projects.list()
            : [await findProject(projects, options.project)];
        const everywhere = context.config().allowedOrigins;
        const rows = shown.flatMap(({ name, origins }) => {
          const listed = origins.map((origin) => [name, origin, "origin add"]);
          const set = everywhere.map((origin) => [name, origin, "PARLANCE_ALLOWED_ORIGINS"]);
          const all = [...set, ...listed];
          return all.length > 0 ? all : [[name, "every origin", "none is listed"]];
        });
        context.print({
          text: table(["PROJECT", "MAY CALL", "BY"], rows),
          json: shown.map(({ id, name, origins }) => ({
            project_id: id,
            project: name,
            origins,
            from_setting: everywhere,
            every_origin: origins.length === 0 && everywhere.length === 0,
          })),
        });
      });
    });
}
