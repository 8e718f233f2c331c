import { memo } from "react";
import { defaultAssistantId } from "#contract/ids.ts";
import type { RunNote } from "#contract/run-events.ts";
import { useAssistants } from "#web/data/assistants/assistants.ts";
import type { AnswerAuthor } from "#web/data/threads/answer-author.ts";
import { modelName, useModels } from "#web/data/assistants/models.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { Avatar } from "#web/ui/avatar.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./byline.module.css";

/** The assistant and model that answered, by their current names if they still exist. */
function useAuthor(answerAuthor: AnswerAuthor) {
  const { assistants } = useAssistants();
  const { models } = useModels();
  const assistant = assistants.find(({ id }) => id === answerAuthor.assistant_id);
  return {
    avatar: assistant?.avatar,
    name: assistant?.name ?? answerAuthor.assistant_name ?? t("app.name"),
    model: modelName(answerAuthor.model, models),
    hasOthers: { assistants: assistants.length > 1, models: models.length > 1 },
  };
}

/** The heading of an answer. Only screen readers see it, unless another assistant or model answered than before. */
export const Byline = memo(function Byline({ messageId }: { messageId: string }) {
  const answerAuthor = useMessageFacts(messageId)?.author;
  const isUsual = answerAuthor?.changed === undefined && answerAuthor?.assistant_id === defaultAssistantId;
  return answerAuthor === undefined || isUsual ? (
    <h2 className="visually-hidden">{t("message.assistant")}</h2>
  ) : (
    <NamedByline answerAuthor={answerAuthor} />
  );
});

function NamedByline({ answerAuthor }: { answerAuthor: AnswerAuthor }) {
  const author = useAuthor(answerAuthor);
  const isNamed = answerAuthor.assistant_id !== defaultAssistantId;
  const heading = isNamed ? t("message.said", { name: author.name }) : t("message.assistant");
  if (answerAuthor.changed === undefined) return <h2 className="visually-hidden">{heading}</h2>;
  return (
    <header className={styles["byline"]}>
      <h2 className="visually-hidden">{heading}</h2>
      {author.avatar !== undefined && <Avatar look={author.avatar} />}
      <bdi aria-hidden className="shrink ink-soft bold one-line">
        {author.name}
      </bdi>
      {answerAuthor.changed === "model" && <bdi className="shrink ink-faint one-line">{author.model}</bdi>}
    </header>
  );
}

/** The names of the assistant and model, among the actions of an answer, without those that the byline shows. */
export function AuthorName({ messageId }: { messageId: string }) {
  const answerAuthor = useMessageFacts(messageId)?.author;
  return answerAuthor === undefined ? null : <KnownAuthorName answerAuthor={answerAuthor} />;
}

function KnownAuthorName({ answerAuthor }: { answerAuthor: AnswerAuthor }) {
  const { changed } = answerAuthor;
  const { name, model, hasOthers } = useAuthor(answerAuthor);
  if (!hasOthers.assistants && !hasOthers.models) return null;
  const names = [
    hasOthers.assistants && changed === undefined ? name : undefined,
    changed === "model" ? undefined : model,
  ].filter((name) => name !== undefined);
  return names.length === 0 ? null : <bdi className={styles["author"]}>{names.join(" · ")}</bdi>;
}

/** Where an answer differs from the selection, such as a deleted assistant. */
export const AuthorNotes = memo(function AuthorNotes({ messageId }: { messageId: string }) {
  const answerAuthor = useMessageFacts(messageId)?.author;
  if (answerAuthor === undefined || answerAuthor.notes.length === 0) return null;
  return <NoteList answerAuthor={answerAuthor} />;
});

function NoteList({ answerAuthor }: { answerAuthor: AnswerAuthor }) {
  const author = useAuthor(answerAuthor);
  return (
    <ul className={styles["notes"]}>
      {answerAuthor.notes.map((note) => (
        <li key={`${note.kind} ${note.name}`}>{noteText(note, author)}</li>
      ))}
    </ul>
  );
}

function noteText({ kind, name }: RunNote, author: { name: string; model: string | undefined }): string {
  switch (kind) {
    case "assistant-gone":
      return name === ""
        ? t("note.assistantUnknown", { instead: author.name })
        : t("note.assistantGone", { name, instead: author.name });
    case "model-gone":
      return t("note.modelGone", { name, instead: author.model ?? "" });
    case "model-failed":
      return t("note.modelFailed", { name, instead: author.model ?? "" });
    case "setting-left-out":
      return t("note.settingLeftOut", { model: author.model ?? "", setting: settingName(name) });
    case "continued":
      return t("note.continued");
    case "results-left-out":
      return t("note.resultsLeftOut");
    case "messages-left-out":
      return t("note.messagesLeftOut");
    case "tools-not-allowed":
      return t("note.toolsNotAllowed", { assistant: author.name, tools: name });
    case "tools-unavailable":
    case "tools-not-local":
      return t("note.toolsUnavailable", { name });
  }
}

function settingName(name: string): string {
  if (name === "temperature") return t("assistant.temperature");
  if (name === "topP") return t("assistant.topP");
  if (name === "maxOutputTokens") return t("assistant.maxOutputTokens");
  if (name === "seed") return t("assistant.seed");
  if (name === "stopSequences") return t("assistant.stop");
  if (name === "reasoning") return t("effort.label");
  return name;
}
