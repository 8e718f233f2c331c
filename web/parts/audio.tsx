import { t } from "#web/words/words.ts";
import type { PartProps } from "./view.ts";
import styles from "./parts.module.css";

const types = { mp3: "audio/mpeg", wav: "audio/wav" } as const;

export function AudioView({ part }: PartProps<"audio">) {
  const source = `data:${types[part.audio.format]};base64,${part.audio.data}`;
  // What is said in a recording that a person sent is known to us only as sound.
  // oxlint-disable-next-line jsx-a11y/media-has-caption
  return <audio controls preload="metadata" src={source} className={styles["audio"]} aria-label={t("audio.label")} />;
}
