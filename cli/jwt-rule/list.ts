import type { Command } from "commander";
import { createJwtRules } from "#server/auth/projects/jwt-rules.ts";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { Door } from "../open-database.ts";
import { table } from "../table.ts";
import { ruleJson } from "./rule-json.ts";

/** `jwt-rule list`: whose tokens are taken. */
export function jwtRuleList(group: Command, door: Door): void {
  group
    .command("list")
    .description("list the rules by which providers' tokens are taken")
    .action(async () => {
      await door.withDatabase(async (db) => {
        const { clock } = door;
        const rules = await createJwtRules({ db, clock }).list();
        const projects = await createProjects({ db, clock }).list();
        const nameOf = (id: string): string => projects.find((project) => project.id === id)?.name ?? id;
        door.answer({
          text:
            rules.length === 0
              ? "There is no rule: no provider's tokens are taken. See: npm run cli -- jwt-rule add --help"
              : table(
                  ["ISSUER", "AUDIENCE", "WORKSPACE", "SIGNED", "KEYS", "PROJECT", "ID"],
                  rules.map((rule) => [
                    rule.issuer,
                    rule.audience ?? "any",
                    rule.workspaceClaim ?? "sub",
                    rule.algorithms.join(","),
                    rule.jwksUrl,
                    nameOf(rule.projectId),
                    rule.id,
                  ]),
                ),
          json: rules.map(ruleJson),
        });
      });
    });
}
