import { defaultAssistantId } from "#contract/ids.ts";
import type { RunNote } from "#contract/run-events.ts";
import { useAssistants } from "#web/data/assistants/assistants.ts";
import type { MadeBy } from "#web/data/threads/made-by.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { useReply } from "#web/data/threads/reply.ts";
import { Avatar } from "#web/ui/avatar.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./made-by.module.css";

/** Who answered, by the names that they have now or had. */
function useMaker(madeBy: MadeBy | undefined) {
  const { assistants } = useAssistants();
  const { models } = useModels();
  if (madeBy === undefined) return undefined;
  const assistant = assistants.find(({ id }) => id === madeBy.assistant_id);
  return {
    avatar: assistant?.avatar,
    name: assistant?.name ?? madeBy.assistant_name ?? t("app.name"),
    model: models.find(({ id }) => id === madeBy.model)?.name ?? madeBy.model ?? undefined,
  };
}

/** The heading of an answer: said to who listens, and shown where another answered than before. */
export function Byline({ messageId }: { messageId: string }) {
  const madeBy = useReply(messageId)?.madeBy;
  const maker = useMaker(madeBy);
  const isNamed = madeBy !== undefined && madeBy.assistant_id !== defaultAssistantId;
  const said =
    isNamed && maker !== undefined ? t("message.said", { name: maker.name }) : t("message.assistant");
  if (madeBy?.isOther === undefined || maker === undefined) return <h2 className="unseen">{said}</h2>;
  return (
    <header className={styles["byline"]}>
      <h2 className="unseen">{said}</h2>
      {maker.avatar !== undefined && <Avatar look={maker.avatar} />}
      <bdi aria-hidden className={styles["name"]}>
        {maker.name}
      </bdi>
      {madeBy.isOther === "model" && <bdi className={styles["model"]}>{maker.model}</bdi>}
    </header>
  );
}

/** Among an answer's actions: who made it, for whoever looks for it there. */
export function MakerName({ messageId }: { messageId: string }) {
  const madeBy = useReply(messageId)?.madeBy;
  const maker = useMaker(madeBy);
  const { assistants } = useAssistants();
  const { models } = useModels();
  if (maker === undefined || (assistants.length <= 1 && models.length <= 1)) return null;
  const names = [assistants.length > 1 ? maker.name : undefined, maker.model].filter(
    (name) => name !== undefined,
  );
  return <bdi className={styles["maker"]}>{names.join(" · ")}</bdi>;
}

/** What was otherwise with an answer than it was chosen. */
export function MakerNotes({ messageId }: { messageId: string }) {
  const madeBy = useReply(messageId)?.madeBy;
  const maker = useMaker(madeBy);
  if (madeBy === undefined || maker === undefined || madeBy.notes.length === 0) return null;
  return (
    <ul className={styles["notes"]}>
      {madeBy.notes.map((note) => (
        <li key={`${note.kind} ${note.name}`}>{wordsOf(note, maker)}</li>
      ))}
    </ul>
  );
}

function wordsOf({ kind, name }: RunNote, maker: { name: string; model: string | undefined }): string {
  switch (kind) {
    case "assistant-gone":
      return name === ""
        ? t("note.assistantUnknown", { instead: maker.name })
        : t("note.assistantGone", { name, instead: maker.name });
    case "model-gone":
      return t("note.modelGone", { name, instead: maker.model ?? "" });
    case "setting-left-out":
      return t("note.settingLeftOut", { model: maker.model ?? "", setting: settingName(name) });
  }
}

function settingName(name: string): string {
  if (name === "temperature") return t("assistant.temperature");
  if (name === "topP") return t("assistant.topP");
  if (name === "maxOutputTokens") return t("assistant.maxOutputTokens");
  return name;
}
