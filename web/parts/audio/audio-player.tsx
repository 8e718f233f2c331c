import { useEffect, useRef, useState } from "react";
import { sourceOf } from "#web/data/files/own-file.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import styles from "../parts.module.css";

export const waveform = createLazyModule(
  () => import("./waveform.tsx"),
  (module) => module.Waveform,
  "parts",
);

/**
 * Plays a stored file or a data URL. It is the browser's own player until the sound is decoded, and remains so if it cannot
 * be.
 */
export function AudioPlayer({ address, name }: { address: string; name: string }) {
  const player = useRef<HTMLAudioElement>(null);
  const [isDecoded, setDecoded] = useState(false);
  const Waveform = waveform.use();
  useEffect(() => void waveform.load(), []);
  return (
    <div className={styles["sound"]}>
      <audio
        ref={player}
        controls={!isDecoded}
        preload="metadata"
        src={sourceOf(address)}
        aria-label={name}
      />
      {Waveform !== undefined && Waveform !== "failed" && (
        <Waveform player={player} address={address} name={name} onDecoded={() => setDecoded(true)} />
      )}
    </div>
  );
}
