import { type RefObject, useEffect, useRef, useState } from "react";
import Volume from "lucide-react/icons/volume-2";
import VolumeOff from "lucide-react/icons/volume-x";
import { printPercent, t } from "#web/i18n/translate.ts";
import { IconButton } from "#web/ui/button.tsx";
import styles from "./waveform.module.css";

/** How loud a sound is played, and whether it is muted. */
export function VolumeControl({ player }: { player: RefObject<HTMLAudioElement | null> }) {
  const [volume, setVolume] = useState(player.current?.volume ?? 1);
  const [isMuted, setMuted] = useState(player.current?.muted === true);
  const lastHeard = useRef(volume === 0 ? 1 : volume);
  useEffect(() => {
    const element = player.current;
    if (element === null) return undefined;
    const change = () => {
      if (element.volume > 0) lastHeard.current = element.volume;
      setVolume(element.volume);
      setMuted(element.muted);
    };
    element.addEventListener("volumechange", change);
    return () => element.removeEventListener("volumechange", change);
  }, [player]);
  const heard = isMuted ? 0 : volume;
  return (
    <>
      <IconButton
        icon={heard === 0 ? VolumeOff : Volume}
        size={16}
        label={t("audio.mute")}
        aria-pressed={heard === 0}
        onClick={() => {
          const element = player.current;
          if (element === null) return;
          element.muted = heard > 0;
          if (element.volume === 0) element.volume = lastHeard.current;
        }}
      />
      <input
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={heard}
        aria-label={t("audio.volume")}
        aria-valuetext={printPercent(heard)}
        className={styles["volume"]}
        onChange={({ currentTarget: { valueAsNumber } }) => {
          const element = player.current;
          if (element === null) return;
          element.muted = false;
          element.volume = valueAsNumber;
        }}
      />
    </>
  );
}
