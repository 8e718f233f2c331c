import Download from "lucide-react/icons/download";
import type { UnreadReason } from "#contract/parts/unread-files.ts";
import { useExtractedText } from "#web/data/files/file-contents.ts";
import { sourceOf } from "#web/data/files/own-file.ts";
import { Icon } from "#web/ui/icon.tsx";
import buttonStyles from "#web/ui/button.module.css";
import { printBytes, t } from "#web/i18n/translate.ts";
import { fileKind } from "../file-kind.ts";
import { LoadingFile } from "./loading-file.tsx";
import styles from "./file-preview.module.css";

type Props = { address: string; name: string; type: string };

/** A file's size and the text that the server extracts from it, or why there is none, and a download. */
export function ExtractedText({ address, name, type }: Props) {
  const { data, failure, retry } = useExtractedText(address);
  if (data === undefined) return <LoadingFile failure={failure} retry={retry} />;
  const { text, reason, complete } = data;
  const isSheet = fileKind(name, type) === "table";
  return (
    <>
      <FileFacts address={address} name={name} type={type} />
      {text !== null && text.trim() !== "" ? (
        <>
          <pre className={styles[isSheet ? "text" : "prose"]} dir="auto">
            {text}
          </pre>
          {!complete && <p className={styles["more"]}>{t("file.beginning")}</p>}
        </>
      ) : (
        <div className={styles["noText"]}>
          <p>{data.size_bytes === 0 ? t("file.empty") : statementOf(reason)}</p>
          <a
            href={sourceOf(address, true)}
            download={name}
            data-look="secondary"
            className={buttonStyles["button"]}
          >
            <Icon of={Download} size={16} />
            {t("file.download")}
          </a>
        </div>
      )}
    </>
  );
}

/** The text of a PDF's scanned pages, folded, if some was recognized. */
export function RecognizedText({ address }: { address: string }) {
  const { data } = useExtractedText(address);
  if (data === undefined || data.text === null || data.recognized_pages === 0) return null;
  return (
    <details className={styles["recognized"]}>
      <summary>{t("file.recognized")}</summary>
      <pre className={styles["prose"]} dir="auto">
        {data.text.replaceAll("\f", "\n\n")}
      </pre>
    </details>
  );
}

function statementOf(reason: UnreadReason | null): string {
  switch (reason) {
    case "locked":
      return t("file.locked");
    case "damaged":
      return t("file.damaged");
    case "too-large":
      return t("file.tooLarge");
    case "away":
      return t("file.textAway");
    case "only-pictures":
    case "no-text":
    case null:
      return t("file.noText");
    default:
      return t("file.noPreview");
  }
}

/** The kind and the size of a file. */
export function FileFacts({ address, name, type }: Props) {
  const { data } = useExtractedText(address);
  const kind = t(`fileKind.${fileKind(name, type)}`);
  return (
    <p className={styles["facts"]}>
      {data === undefined ? kind : `${kind} · ${printBytes(data.size_bytes)}`}
    </p>
  );
}
