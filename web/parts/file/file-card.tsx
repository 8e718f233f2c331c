import { sourceOf } from "#web/data/files/own-file.ts";
import { DownloadLink } from "#web/ui/download-link.tsx";
import { t } from "#web/i18n/translate.ts";
import { AudioPlayer } from "../audio/audio-player.tsx";
import { fileKind } from "./file-kind.ts";
import { FilePreviewButton } from "./file-preview-button.tsx";
import { FileSummary } from "./file-summary.tsx";
import styles from "./file-card.module.css";

/** A stored file in a message: a player, or a card with a download link. Its name opens it. */
export function FileCard({ address, name, type }: { address: string; name: string; type: string }) {
  const kind = fileKind(name, type);
  if (kind === "audio" || kind === "video")
    return (
      <figure className={styles["media"]} data-kind={kind}>
        <figcaption>
          <FilePreviewButton address={address} name={name} type={type} className={styles["title"]}>
            <span dir="auto">{name}</span>
          </FilePreviewButton>
        </figcaption>
        {kind === "audio" ? (
          <AudioPlayer address={address} name={name} />
        ) : (
          <video
            controls
            preload="metadata"
            src={sourceOf(address)}
            className={styles["video"]}
            aria-label={name}
          />
        )}
      </figure>
    );
  return (
    <div className={styles["card"]}>
      <FilePreviewButton address={address} name={name} type={type}>
        <FileSummary name={name} type={type} sources={[]} details={t(`fileKind.${kind}`)} />
      </FilePreviewButton>
      <DownloadLink href={sourceOf(address, true)} name={name} className={styles["save"]} />
    </div>
  );
}
