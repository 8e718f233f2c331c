import Download from "lucide-react/icons/download";
import { sourceOf } from "#web/data/library/own-file.ts";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { fileKind } from "./file-kind.ts";
import { FileLook } from "./file-preview-button.tsx";
import styles from "./file-card.module.css";

/** A file of this service in a message: what it is, a look into it where one can be had, and the way to save it. */
export function FileCard({ address, name, type }: { address: string; name: string; type: string }) {
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
      <FileLook address={address} name={name} type={type} facts={t(`fileKind.${kind}`)} />
      <a
        className={styles["save"]}
        href={sourceOf(address, true)}
        download={name}
        aria-label={t("file.downloadNamed", { name })}
        data-tip={t("file.download")}
      >
        <Icon of={Download} size={16} />
      </a>
    </div>
  );
}
