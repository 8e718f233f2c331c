import { t } from "#web/i18n/translate.ts";
import type { PartProps } from "../part-view.ts";
import { AudioPlayer } from "./audio-player.tsx";

const types = { mp3: "audio/mpeg", wav: "audio/wav" } as const;

export function AudioView({ part }: PartProps<"audio">) {
  const address = `data:${types[part.audio.format]};base64,${part.audio.data}`;
  return <AudioPlayer address={address} name={t("fileKind.audio")} />;
}
