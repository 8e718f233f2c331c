import { useAui } from "@assistant-ui/react";
import { useCan } from "#web/data/session/session.ts";
import { useThreadList } from "#web/data/threads/threads.ts";
import type { AssistantAndModel } from "#web/composer/use-assistant-and-model.ts";
import { openFileDialog } from "#web/composer/attach-button.tsx";
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
const builtInStarters = ["starters.percent", "starters.days"] as const satisfies StringKey[];
/** Tasks for a language model. */
const modelStarters = ["starters.explain", "starters.write"] as const satisfies StringKey[];

/** Suggestions for a first message: those of the assistant, or ones that fit what answers for the default assistant. */
export function Starters({ selection }: { selection: AssistantAndModel }) {
  const aui = useAui();
  const { threads } = useThreadList("regular");
  const mayUpload = useCan("files.upload") !== false;
  const { assistant, models } = selection;
  const model = models.find(({ id }) => id === selection.model);
  const send = (text: string) => aui.thread.append(text);
  const own = assistant?.starters ?? [];
  if (own.length > 0) return <StarterList starters={own} onChoose={send} />;
  if (assistant === undefined || assistant.id !== defaultAssistantId || model === undefined) return null;
  const isBuiltIn = model.provider === "builtin";
  const texts = (isBuiltIn ? builtInStarters : modelStarters).map((key) => t(key));
  // People who have chats can look back at them.
  if (threads.length > 0) texts[0] = t("starters.lately");
  if (isBuiltIn || !mayUpload) return <StarterList starters={texts} onChoose={send} />;
  const file = t("starters.file");
  return (
    <StarterList
      starters={[...texts, file]}
      onChoose={(text) => (text === file ? openFileDialog() : send(text))}
    />
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
