import { useAui } from "@assistant-ui/react";
import { useThreadList } from "#web/data/threads/threads.ts";
import type { Assistant } from "#contract/endpoints/assistants.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import { Avatar } from "#web/ui/avatar.tsx";
import { t, type StringKey } from "#web/i18n/translate.ts";
import styles from "./greeting.module.css";

/** The heading of a new chat: a greeting, or the selected assistant. */
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

/** Questions that the built-in assistant can answer without a language model. */
const firstStarters = ["starters.percent", "starters.days", "starters.units"] as const satisfies StringKey[];
/** For people who have threads to search. */
const laterStarters = ["starters.lately", "starters.days", "starters.units"] as const satisfies StringKey[];

/** Suggestions for a first message: those of the assistant, or the built-in ones for the default assistant. */
export function Starters({ assistant }: { assistant: Assistant | undefined }) {
  const aui = useAui();
  const { threads } = useThreadList("regular");
  const ownStarters = assistant?.starters ?? [];
  const isDefault = assistant === undefined || assistant.id === defaultAssistantId;
  const builtInStarters = threads.length === 0 ? firstStarters : laterStarters;
  const visible = ownStarters.length > 0 || !isDefault ? ownStarters : builtInStarters.map((key) => t(key));
  return visible.length === 0 ? null : (
    <StarterList starters={visible} onChoose={(text) => aui.thread.append(text)} />
  );
}

/** Without `onChoose`, it is a preview. */
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
        // Two starters may have the same text.
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
