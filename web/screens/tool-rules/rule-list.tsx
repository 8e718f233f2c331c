import type { RuledTool, ToolRuleEntry } from "#contract/tools/endpoints.ts";
import { type RuleValue, ruleValues } from "#contract/tools/tool-rules.ts";
import type { Loaded } from "#web/data/load-state.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { fieldStyles } from "../form/field.tsx";
import { Row } from "../row.tsx";
import { Rows } from "../rows.tsx";
import styles from "./rule-list.module.css";

/** A tool of the list, or one that only a rule names: a tool of a server, or one that is gone. */
type Entry = { id: string; source: string; tool: string; known?: RuledTool };

type NewRule = { source: string; tool: string; rule: RuleValue | null; known: RuledTool | undefined };

/**
 * Every tool with its rule. `mayAlways`: for which tools `always` can be chosen here; a rule that says it already can be
 * kept.
 */
export function RuleList({
  list,
  tools,
  rules,
  mayAlways,
  put,
}: {
  list: Loaded;
  tools: readonly RuledTool[];
  rules: readonly ToolRuleEntry[];
  mayAlways(tool: RuledTool): boolean;
  put(rule: NewRule): Promise<unknown>;
}) {
  return (
    <Rows
      list={list}
      rows={entriesOf(tools, rules)}
      label={t("toolRules.title")}
      loadingLabel={t("toolRules.loading")}
      failedTitle={t("toolRules.failed")}
    >
      {({ source, tool, known }) => {
        const name = nameOf(source, tool) ?? known?.title ?? tool;
        const rule = rules.find((each) => each.source === source && each.tool === tool)?.rule;
        const values = ruleValues.filter(
          (value) => value !== "always" || rule === value || (known !== undefined && mayAlways(known)),
        );
        return (
          <Row
            className={styles["rule"]}
            name={name}
            facts={[known === undefined ? t("toolRules.other") : effectOf(known)]}
          >
            <select
              aria-label={t("toolRules.ruleOf", { name })}
              value={rule ?? ""}
              className={fieldStyles["input"]}
              onChange={({ currentTarget: { value } }) => {
                const next = value === "" ? null : (value as RuleValue);
                void put({ source, tool, rule: next, known }).catch(showFailure);
              }}
            >
              <option value="">{t("toolRules.none")}</option>
              {values.map((value) => (
                <option key={value} value={value}>
                  {t(`toolRules.${value}`)}
                </option>
              ))}
            </select>
          </Row>
        );
      }}
    </Rows>
  );
}

function entriesOf(tools: readonly RuledTool[], rules: readonly ToolRuleEntry[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const known of tools) {
    const { source, name: tool } = known;
    entries.set(`${source} ${tool}`, { id: `${source} ${tool}`, source, tool, known });
  }
  for (const { source, tool } of rules) {
    const id = `${source} ${tool}`;
    if (tool !== null && !entries.has(id)) entries.set(id, { id, source, tool });
  }
  return [...entries.values()];
}

/** What the tool does, and so whether it asks without a rule. */
function effectOf({ effect, sends_to: place }: RuledTool): string {
  if (place === null) return t(effect === "writes" ? "toolRules.writes" : "toolRules.reads");
  return t(effect === "writes" ? "toolRules.writesAt" : "toolRules.sendsTo", { place });
}

/** The name of a built-in tool in the page's language. Others have the name that their server gives them. */
function nameOf(source: string, tool: string): string | undefined {
  const known = builtInTools.find((each) => each === tool);
  return source === "built-in" && known !== undefined ? t(`toolName.${known}`) : undefined;
}

const builtInTools = [
  "calculate",
  "date",
  "ask_person",
  "artifact",
  "search_threads",
  "list_threads",
  "read_thread",
  "search_web",
  "read_page",
] as const;
