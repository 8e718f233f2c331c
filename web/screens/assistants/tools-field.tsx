import type { ToolInfo } from "#contract/endpoints/tools.ts";
import { useTools } from "#web/data/assistants/assistants.ts";
import { Button } from "#web/ui/button.tsx";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { t } from "#web/i18n/translate.ts";
import { fieldStyles } from "../form/field.tsx";
import styles from "./tools-field.module.css";

/** All tools, including future ones, or a selection. */
export function ToolsField({
  chosen,
  onChange,
}: {
  chosen: string[] | undefined;
  onChange(tools: string[] | undefined): void;
}) {
  const { tools, state, retry } = useTools();
  // Tools that no longer exist are removed from the selection, because nobody could see them.
  const known = chosen?.filter((name) => tools.some((tool) => tool.name === name));
  const turn = (name: string, isOn: boolean) =>
    onChange(isOn ? [...(known ?? []), name] : known?.filter((one) => one !== name));
  return (
    <div className={styles["tools"]}>
      <RadioGroup
        legend={t("assistant.tools")}
        value={chosen === undefined ? "all" : "some"}
        onChange={(value) => onChange(value === "all" ? undefined : tools.map(({ name }) => name))}
        options={[
          { value: "all", label: t("assistant.toolsAll"), hint: t("assistant.toolsAllHint") },
          { value: "some", label: t("assistant.toolsSome"), hint: t("assistant.toolsSomeHint") },
        ]}
      />
      {chosen !== undefined && state === "failed" && <Button onClick={retry}>{t("action.retry")}</Button>}
      {chosen !== undefined && (
        <ul className={styles["list"]}>
          {tools.map((tool) => (
            <li key={tool.name}>
              <ToolRow tool={tool} isOn={known?.includes(tool.name) ?? false} onTurn={turn} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function ToolRow({
  tool,
  isOn,
  onTurn,
}: {
  tool: ToolInfo;
  isOn: boolean;
  onTurn(name: string, isOn: boolean): void;
}) {
  return (
    <label className={styles["tool"]}>
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => onTurn(tool.name, event.currentTarget.checked)}
      />
      <span className={styles["name"]}>{tool.name}</span>
      <span className={fieldStyles["note"]}>
        {firstSentence(tool.description)} {tool.asks && t("assistant.toolAsks")}
      </span>
    </label>
  );
}

/** The first sentence of a description. The rest is for the model. */
function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
