import { t } from "#web/i18n/translate.ts";
import type { PartProps } from "./part-view.ts";
import styles from "./parts.module.css";

const types = { mp3: "audio/mpeg", wav: "audio/wav" } as const;

export function AudioView({ part }: PartProps<"audio">) {
  const source = `data:${types[part.audio.format]};base64,${part.audio.data}`;
  return (
    <audio
      controls
      preload="metadata"
      src={source}
      className={styles["audio"]}
      aria-label={t("fileKind.audio")}
    />
  );
}
