import { Link } from "@tanstack/react-router";
import FileX from "lucide-react/icons/file-x";
import { unreadReasons, type UnreadFile, type UnreadReason } from "#contract/parts/unread-files.ts";
import { useCan } from "#web/data/session/session.ts";
import { Icon } from "#web/ui/icon.tsx";
import { t, type StringKey } from "#web/i18n/translate.ts";
import styles from "../parts.module.css";

const reasonKeys = {
  gone: "unread.gone",
  kind: "unread.kind",
  model: "unread.model",
  locked: "unread.locked",
  damaged: "unread.damaged",
  "too-large": "unread.tooLarge",
  refused: "unread.refused",
  "only-pictures": "unread.onlyPictures",
  scanned: "unread.scanned",
  recognized: "unread.recognized",
  "no-text": "unread.noText",
  "no-room": "unread.noRoom",
  partly: "unread.partly",
  elsewhere: "unread.elsewhere",
  away: "unread.away",
} as const satisfies Record<UnreadReason, StringKey>;

/** Lists the files that the model did not receive, or only in part, and why. */
export function UnreadFiles({ data }: { data: readonly unknown[] }) {
  const files = data.filter(isUnreadFile);
  const mayAdd = useCan("server.inspect") === true && files.some(({ extra }) => extra !== undefined);
  return (
    <ul aria-label={t("unread.label")} className={styles["unread"]}>
      {files.map(({ name, reason }, i) => (
        <li key={i}>
          <Icon of={FileX} size={15} />
          <span>{t(reasonKeys[reason], { name: name === "" ? t("fileKind.other") : name })}</span>
        </li>
      ))}
      {mayAdd && (
        <li>
          <Icon of={FileX} size={15} />
          <Link to="/admin/$page" params={{ page: "health" }}>
            {t("unread.addOcr")}
          </Link>
        </li>
      )}
    </ul>
  );
}

function isUnreadFile(value: unknown): value is UnreadFile {
  if (typeof value !== "object" || value === null) return false;
  const { name, reason } = value as Record<string, unknown>;
  return typeof name === "string" && unreadReasons.some((known) => known === reason);
}
