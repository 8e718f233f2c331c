import type { Command } from "commander";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { Door } from "../open-database.ts";
import { projectNamed, projectOption } from "../project-named.ts";
import { table } from "../table.ts";

/** `origin list`: whose pages may call, and by which word. */
export function originList(group: Command, door: Door): void {
  group
    .command("list")
    .description("list the origins whose pages may call")
    .option(projectOption.flags, "only those of this project, by name or id")
    .action(async (options: { project?: string }) => {
      await door.withDatabase(async (db) => {
        const projects = createProjects({ db, clock: door.clock });
        const shown =
          options.project === undefined
            ? await projects.list()
            : [await projectNamed(projects, options.project)];
        const everywhere = door.config().allowedOrigins;
        const rows = shown.flatMap(({ name, origins }) => {
          const listed = origins.map((origin) => [name, origin, "origin allow"]);
          const set = everywhere.map((origin) => [name, origin, "PARLANCE_ALLOWED_ORIGINS"]);
          const all = [...set, ...listed];
          return all.length > 0 ? all : [[name, "every origin", "none is listed"]];
        });
        door.answer({
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
