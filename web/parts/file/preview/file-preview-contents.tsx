import { useFileText, usePdfPages } from "#web/data/files/file-contents.ts";
import { sourceOf } from "#web/data/files/own-file.ts";
import { t } from "#web/i18n/translate.ts";
import { AudioPlayer } from "../../audio/audio-player.tsx";
import { fileKind } from "../file-kind.ts";
import { ExtractedText, FileFacts, RecognizedText } from "./extracted-text.tsx";
import { fileForm } from "./file-form.ts";
import { LoadingFile } from "./loading-file.tsx";
import { TablePreview } from "./table-preview.tsx";
import styles from "./file-preview.module.css";

type Props = { address: string; name: string; type: string };

/** The pages of a PDF, the rows of a table, the text, or a player, whichever the file has. */
export function FileContents(file: Props) {
  const { address, name } = file;
  switch (fileForm(name, file.type)) {
    case "pages":
      return <PdfPreview address={address} />;
    case "text":
      return <TextPreview {...file} />;
    case "audio":
      return (
        <>
          <FileFacts {...file} />
          <AudioPlayer address={address} name={name} />
        </>
      );
    case "video":
      return (
        <>
          <FileFacts {...file} />
          <video
            controls
            preload="metadata"
            src={sourceOf(address)}
            className={styles["video"]}
            aria-label={name}
          />
        </>
      );
    case "extracted":
      return <ExtractedText {...file} />;
  }
}

function PdfPreview({ address }: { address: string }) {
  const { data: pages, failure, retry } = usePdfPages(address);
  if (pages === undefined) return <LoadingFile failure={failure} retry={retry} />;
  return (
    <>
      {pages.some(({ text }) => text.trim() === "") && <RecognizedText address={address} />}
      <ol className={styles["pages"]}>
        {pages.map((page, i) => (
          <li key={page.url}>
            <img src={page.url} alt={t("file.page", { number: i + 1, count: pages.length })} loading="lazy" />
          </li>
        ))}
      </ol>
    </>
  );
}

function TextPreview({ address, name, type }: Props) {
  const { data, failure, retry } = useFileText(address);
  if (data === undefined) return <LoadingFile failure={failure} retry={retry} />;
  if (data.text === "")
    return (
      <div className={styles["noText"]}>
        <p>{t("file.empty")}</p>
      </div>
    );
  const kind = fileKind(name, type);
  const plainText = (
    <pre className={styles["text"]} dir={kind === "code" ? "ltr" : "auto"}>
      {data.text}
    </pre>
  );
  return (
    <>
      {kind === "table" ? <TablePreview text={data.text} fallback={plainText} /> : plainText}
      {!data.isAll && <p className={styles["more"]}>{t("file.beginning")}</p>}
    </>
  );
}
