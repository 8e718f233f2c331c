import { sourceOf } from "#web/data/library/own-file.ts";
import { DownloadLink } from "#web/ui/download-link.tsx";
import { t } from "#web/i18n/translate.ts";
import { AudioPlayer } from "../audio/audio-player.tsx";
import { fileKind } from "./file-kind.ts";
import { FilePreviewButton } from "./file-preview-button.tsx";
import styles from "./file-card.module.css";

/** A stored file in a message, with a preview if there is one, and a download link. */
export function FileCard({ address, name, type }: { address: string; name: string; type: string }) {
  const kind = fileKind(name, type);
  const source = sourceOf(address);
  if (kind === "audio")
    return (
      <figure className={styles["audio"]}>
        <figcaption className={styles["name"]} dir="auto">
          {name}
        </figcaption>
        <AudioPlayer address={address} name={name} />
      </figure>
    );
  if (kind === "video")
    return <video controls preload="metadata" src={source} className={styles["video"]} aria-label={name} />;
  return (
    <div className={styles["card"]}>
      <FilePreviewButton address={address} name={name} type={type} details={t(`fileKind.${kind}`)} />
      <DownloadLink href={sourceOf(address, true)} name={name} className={styles["save"]} />
    </div>
  );
}
