import { useAui } from "@assistant-ui/react";
import { useThreadList } from "#web/data/threads/threads.ts";
import type { Assistant } from "#contract/endpoints/assistants.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import { Avatar } from "#web/ui/avatar.tsx";
import { t, type StringKey } from "#web/i18n/translate.ts";
import styles from "./greeting.module.css";

/** What a new chat begins with: a word of welcome, or who is going to answer. */
export function Greeting({ hour, assistant }: { hour: number; assistant: Assistant | undefined }) {
  const isOwn = assistant !== undefined && assistant.id !== defaultAssistantId;
  return (
    <header className={styles["greeting"]}>
      <h1 className={styles["question"]}>{t("greeting.question")}</h1>
      {isOwn ? (
        <p className={styles["who"]}>
          <Avatar look={assistant.avatar} size="medium" />
          <bdi>{assistant.name}</bdi>
        </p>
      ) : (
        <p className={styles["hello"]}>{t(greetingOf(hour))}</p>
      )}
    </header>
  );
}

/** Things to ask that need no language model: the assistant that is built in can answer them. */
const starters = ["starters.percent", "starters.days", "starters.units"] as const satisfies StringKey[];
/** For who has threads already, what is in them is nearer than a sum. */
const laterStarters = ["starters.lately", "starters.days", "starters.units"] as const satisfies StringKey[];

/** What can be said with one press: the assistant's own, or for the default one things that need no model. */
export function Starters({ assistant }: { assistant: Assistant | undefined }) {
  const aui = useAui();
  const { threads } = useThreadList("regular");
  const ownStarters = assistant?.starters ?? [];
  const isDefault = assistant === undefined || assistant.id === defaultAssistantId;
  const ours = threads.length === 0 ? starters : laterStarters;
  const shown = ownStarters.length > 0 || !isDefault ? ownStarters : ours.map((key) => t(key));
  return shown.length === 0 ? null : (
    <StarterList starters={shown} onChoose={(text) => aui.thread.append(text)} />
  );
}

/** Without `onChoose` only to be looked at. */
export function StarterList({
  starters: texts,
  onChoose,
}: {
  starters: readonly string[];
  onChoose?: (text: string) => void;
}) {
  return (
    <ul aria-label={t("starters.label")} className={styles["starters"]}>
      {texts.map((text, index) => (
        // The same may be there twice.
        <li key={index}>
          {onChoose === undefined ? (
            <span dir="auto" className={styles["starter"]}>
              {text}
            </span>
          ) : (
            <button type="button" dir="auto" className={styles["starter"]} onClick={() => onChoose(text)}>
              {text}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function greetingOf(hour: number): StringKey & `greeting.${string}` {
  if (hour < 5) return "greeting.night";
  if (hour < 12) return "greeting.morning";
  if (hour < 18) return "greeting.afternoon";
  return "greeting.evening";
}
