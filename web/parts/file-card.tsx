import { useState } from "react";
import Download from "lucide-react/icons/download";
import { sourceOf } from "#web/data/own-file.ts";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/words/words.ts";
import { fileKind, type FileKind } from "./file-kind.ts";
import { FileMark } from "./file-mark.tsx";
import { FilePreview } from "./preview/file-preview.tsx";
import styles from "./file-card.module.css";

/** A file of this service: what it is, a look into it where one can be had, and the way to save it. */
export function FileCard({ address, name, type }: { address: string; name: string; type: string }) {
  const [isOpen, setOpen] = useState(false);
  const kind = fileKind(name, type);
  const source = sourceOf(address);
  if (kind === "sound")
    return (
      <figure className={styles["sound"]}>
        <figcaption className={styles["name"]} dir="auto">
          {name}
        </figcaption>
        <audio controls preload="metadata" src={source} aria-label={name} />
      </figure>
    );
  if (kind === "film")
    return <video controls preload="metadata" src={source} className={styles["film"]} aria-label={name} />;
  return (
    <div className={styles["card"]}>
      {hasPreview(kind) ? (
        <button type="button" className={styles["open"]} onClick={() => setOpen(true)}>
          <Face name={name} type={type} kind={kind} />
          <span className="unseen">{t("file.preview")}</span>
        </button>
      ) : (
        <span className={styles["open"]}>
          <Face name={name} type={type} kind={kind} />
        </span>
      )}
      <a
        className={styles["save"]}
        href={sourceOf(address, true)}
        download={name}
        aria-label={t("file.downloadNamed", { name })}
        data-tip={t("file.download")}
      >
        <Icon of={Download} size={16} />
      </a>
      {isOpen && <FilePreview address={address} name={name} kind={kind} onClose={() => setOpen(false)} />}
    </div>
  );
}

function Face({ name, type, kind }: { name: string; type: string; kind: FileKind }) {
  return (
    <>
      <FileMark name={name} type={type} className={styles["mark"]} />
      <span className={styles["words"]}>
        <span className={styles["name"]} dir="auto">
          {name}
        </span>
        <span className={styles["fact"]}>{t(`fileKind.${kind}`)}</span>
      </span>
    </>
  );
}

function hasPreview(kind: FileKind): boolean {
  return kind === "pdf" || kind === "table" || kind === "text" || kind === "code";
}
