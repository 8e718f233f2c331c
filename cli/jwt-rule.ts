import { InvalidArgumentError, type Command } from "commander";
import { ruleAlgorithms, type RuleAlgorithm } from "#contract/accounts/rule-algorithms.ts";
import { operator } from "#server/audit/audit.ts";
import { createJwtRules, presentRule, type JwtRule } from "#server/apps/jwt-rules.ts";
import { problemOfKeys } from "#server/apps/provider-keys.ts";
import { createApps } from "#server/apps/apps.ts";
import { commandLine } from "#server/lib/program.ts";
import type { CommandContext } from "./command-context.ts";
import { findApp, appOption } from "./app-option.ts";
import { table } from "./table.ts";
import { CommandError } from "./errors.ts";

type Options = {
  jwks: string;
  audience?: string;
  workspaceClaim?: string;
  algorithms: RuleAlgorithm[];
  app?: string;
};

/** `jwt-rule add https://login.example.com/ --jwks …`: accepts the provider's tokens from the next request. */
export function jwtRuleAdd(group: Command, context: CommandContext): void {
  group
    .command("add")
    .description("accept the tokens of your own sign-in provider (Auth0, Clerk, Keycloak, …)")
    .argument("<issuer>", "the exact iss of its tokens, often with a slash at the end")
    .requiredOption("--jwks <url>", "the URL of its public keys, such as https://…/.well-known/jwks.json")
    .option(
      "--audience <audience>",
      "the aud that its tokens must have; without it, tokens for any app are accepted",
    )
    .option(
      "--workspace-claim <claim>",
      "the claim that names the workspace, such as org_id or o.id; by default sub",
    )
    .option("--algorithms <list>", "its signature algorithms, separated by commas", parseAlgorithms, [
      "RS256",
    ])
    .option(appOption.flags, appOption.about)
    .action(async (issuer: string, options: Options) => {
      await context.withDatabase(async (db) => {
        const { clock } = context;
        const app = await findApp(createApps({ db, clock }), options.app);
        const rule = await createJwtRules({ db, clock }).add(
          {
            appId: app.id,
            issuer,
            audience: options.audience,
            jwksUrl: options.jwks,
            workspaceClaim: options.workspaceClaim,
            algorithms: options.algorithms,
            isPublicOnly: false,
          },
          operator,
        );
        await checkKeys(rule, context);
        if (rule.audience === undefined)
          context.log(
            "Without --audience, a token that this issuer created for any other app is accepted too.",
          );
        context.print({
          text: `Added ${rule.id}: tokens of ${issuer} are accepted for the app "${app.name}".`,
          json: ruleJson(rule),
        });
      });
    });
}

/** Reports a wrong URL now, and not when the first user cannot sign in. */
async function checkKeys(rule: JwtRule, context: CommandContext): Promise<void> {
  const problem = await problemOfKeys(rule, context.clock);
  if (problem !== undefined)
    context.log(
      `The rule is added, but its keys cannot be fetched from ${rule.jwksUrl} (${problem}). Until then its users get a 503. If the URL is wrong, remove the rule and add it again.`,
    );
}

function parseAlgorithms(text: string): RuleAlgorithm[] {
  return text.split(",").map((word) => {
    const found = ruleAlgorithms.find((algorithm) => algorithm === word.trim());
    if (found === undefined)
      throw new InvalidArgumentError(`Use ${ruleAlgorithms.join(", ")}. Shared secrets are not supported.`);
    return found;
  });
}

/** `jwt-rule list`: lists the rules for providers' tokens. */
export function jwtRuleList(group: Command, context: CommandContext): void {
  group
    .command("list")
    .description("list the rules for providers' tokens")
    .action(async () => {
      await context.withDatabase(async (db) => {
        const { clock } = context;
        const rules = await createJwtRules({ db, clock }).list();
        const apps = await createApps({ db, clock }).list();
        const nameOf = (id: string): string => apps.find((app) => app.id === id)?.name ?? id;
        context.print({
          text:
            rules.length === 0
              ? `There are no rules, so no provider's tokens are accepted. See: ${commandLine} jwt-rule add --help`
              : table(
                  ["ISSUER", "AUDIENCE", "WORKSPACE", "SIGNED", "KEYS", "APP", "ID"],
                  rules.map((rule) => [
                    rule.issuer,
                    rule.audience ?? "any",
                    rule.workspaceClaim ?? "sub",
                    rule.algorithms.join(","),
                    rule.jwksUrl,
                    nameOf(rule.appId),
                    rule.id,
                  ]),
                ),
          json: rules.map(ruleJson),
        });
      });
    });
}

/** `jwt-rule remove <rule>`: refuses the provider's tokens, and sessions started with them, from the next request. */
export function jwtRuleRemove(group: Command, context: CommandContext): void {
  group
    .command("remove")
    .description("remove a rule; its tokens, and sessions started with them, end")
    .argument("<rule>", "its id, as jwt-rule list shows it")
    .action(async (id: string) => {
      const found = await context.withDatabase(
        async (db) => await createJwtRules({ db, clock: context.clock }).remove(id, operator),
      );
      if (!found)
        throw new CommandError(`<rule>: there is no rule "${id}". See: ${commandLine} jwt-rule list`);
      context.print({ text: `Removed ${id}.`, json: { id } });
    });
}

function ruleJson(rule: JwtRule): object {
  return { project_id: rule.appId, ...presentRule(rule) };
}
