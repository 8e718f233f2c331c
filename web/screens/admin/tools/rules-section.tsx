import { useState } from "react";
import { limits } from "#contract/limits.ts";
import { useGroups } from "#web/data/admin/groups.ts";
import { useAssistants } from "#web/data/assistants/assistants.ts";
import { useModelSettings } from "#web/data/assistants/model-settings.ts";
import { useToolRulesForAll } from "#web/data/tool-rules.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { printNumber, t } from "#web/i18n/translate.ts";
import { SelectField } from "../../form/select-field.tsx";
import styles from "../../screen.module.css";
import { RuleList } from "../../tool-rules/rule-list.tsx";

const everybody = "everybody";

/** When assistants use tools: for everybody, a group or an assistant; and how many steps an answer may take. */
export function RulesSection() {
  const list = useToolRulesForAll();
  const { groups } = useGroups("");
  const { assistants } = useAssistants();
  const [chosen, setChosen] = useState(everybody);
  const groupId = groups.find(({ id }) => `group ${id}` === chosen)?.id ?? null;
  const assistantId = assistants.find(({ id }) => `assistant ${id}` === chosen)?.id ?? null;
  return (
    <section aria-labelledby="tool-rules">
      <h2 id="tool-rules" className={styles["heading"]}>
        {t("toolRules.title")}
      </h2>
      <p className={styles["about"]}>{t("toolRules.about")}</p>
      <div className="below-4">
        <SelectField
          label={t("toolRules.for")}
          value={chosen}
          options={[
            [everybody, t("toolRules.everybody")],
            ...groups.map(({ id, name }) => [`group ${id}`, t("toolRules.group", { name })] as const),
            ...assistants.map(
              ({ id, name }) => [`assistant ${id}`, t("toolRules.assistant", { name })] as const,
            ),
          ]}
          onChange={setChosen}
        />
      </div>
      <RuleList
        list={list}
        tools={list.tools}
        rules={list.rules.filter(
          ({ group_id: group, assistant_id: assistant }) => group === groupId && assistant === assistantId,
        )}
        mayAlways={() => true}
        put={async ({ source, tool, rule, known }) =>
          await list.put({
            source,
            tool,
            rule,
            group_id: groupId,
            assistant_id: assistantId,
            // Of a tool that only reads, every version is allowed.
            ...(rule === "always" && known?.effect === "writes" && { schema_hash: known.schema_hash }),
          })
        }
      />
      <StepsField />
    </section>
  );
}

const steps = [1, 5, 12, 25, limits.runSteps, 100, 200, limits.runStepsMax];

function StepsField() {
  const { stored, change } = useModelSettings(true);
  const current = stored?.settings.steps_max;
  if (current === undefined) return null;
  const counts = steps.includes(current) ? steps : [...steps, current].toSorted((a, b) => a - b);
  return (
    <SelectField
      label={t("toolRules.steps")}
      hint={t("toolRules.stepsHint")}
      value={String(current)}
      options={counts.map((count) => [String(count), printNumber(count)])}
      onChange={(value) => void change({ steps_max: Number(value) }).catch(showFailure)}
    />
  );
}
