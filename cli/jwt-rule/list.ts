import type { Command } from "commander";
import { createJwtRules } from "#server/auth/projects/jwt-rules.ts";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { CommandContext } from "../command-context.ts";
import { table } from "../table.ts";
import { ruleJson } from "./rule-json.ts";

/** `jwt-rule list`: lists the rules for providers' tokens. */
export function jwtRuleList(group: Command, context: CommandContext): void {
  group
    .command("list")
    .description("list the rules for providers' tokens")
    .action(async () => {
      await context.withDatabase(async (db) => {
        const { clock } = context;
        const rules = await createJwtRules({ db, clock }).list();
        const projects = await createProjects({ db, clock }).list();
        const nameOf = (id: string): string => projects.find((project) => project.id === id)?.name ?? id;
        context.print({
          text:
            rules.length === 0
              ? "There are no rules, so no provider's tokens are accepted. See: npm run cli -- jwt-rule add --help"
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
