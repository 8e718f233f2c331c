import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import Pause from "lucide-react/icons/pause";
import Play from "lucide-react/icons/play";
import { readBytes, sourceOf } from "#web/data/files/own-file.ts";
import { useServices } from "#web/data/provider.tsx";
import { printNumber, t } from "#web/i18n/translate.ts";
import { IconButton } from "#web/ui/button.tsx";
import { DownloadLink } from "#web/ui/download-link.tsx";
import { bytesOf } from "../file/format-bytes.ts";
import { VolumeControl } from "./volume.tsx";
import styles from "./waveform.module.css";

/** A decoded minute needs several megabytes, so longer sounds keep the browser's player. */
const bytesMax = 25 * 1024 * 1024;
const secondsMax = 15 * 60;
/** How far an arrow key goes. */
const stepSeconds = 5;
const speeds = [1, 1.25, 1.5, 2];

type Sound = Awaited<ReturnType<typeof decodePeaks>>;

/** The controls of a player with the outline of its sound, once it is in the window and decoded. */
export function Waveform({
  player,
  address,
  name,
  onDecoded,
}: {
  player: RefObject<HTMLAudioElement | null>;
  address: string;
  name: string;
  onDecoded(): void;
}) {
  const { session } = useServices();
  const [sound, setSound] = useState<Sound>();
  const read = useEffectEvent(async (signal: AbortSignal) => {
    const bytes = address.startsWith("data:")
      ? bytesOf(address)
      : await readBytes(address, bytesMax, session.credentials, signal);
    if (bytes === undefined || bytes.byteLength > bytesMax) return;
    const decoded = await decodePeaks(bytes.buffer);
    if (signal.aborted) return;
    setSound(decoded);
    onDecoded();
  });
  useEffect(() => {
    const element = player.current;
    if (element === null) return undefined;
    const gone = new AbortController();
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting) || !(element.duration <= secondsMax)) return;
      watch.disconnect();
      // What cannot be read or decoded keeps the browser's player.
      read(gone.signal).catch(() => {});
    });
    const observe = () => watch.observe(element);
    if (Number.isNaN(element.duration)) element.addEventListener("loadedmetadata", observe);
    else observe();
    return () => {
      gone.abort();
      watch.disconnect();
      element.removeEventListener("loadedmetadata", observe);
    };
  }, [player, address]);
  return sound && <Controls player={player} sound={sound} address={address} name={name} />;
}

function Controls({
  player,
  sound: { peaks, seconds },
  address,
  name,
}: {
  player: RefObject<HTMLAudioElement | null>;
  sound: Sound;
  address: string;
  name: string;
}) {
  const { at, isPlaying, seek } = usePlayback(player);
  const [speed, setSpeed] = useState(1);
  const toggle = () => {
    const element = player.current;
    if (isPlaying) element?.pause();
    // The person pauses before it began, for example.
    else void element?.play().catch(() => {});
  };
  const nextSpeed = () => {
    const next = speeds[(speeds.indexOf(speed) + 1) % speeds.length] ?? 1;
    setSpeed(next);
    if (player.current !== null) player.current.playbackRate = next;
  };
  const go = (to: number) => seek(Math.min(seconds, Math.max(0, to)));
  const keys: Record<string, () => void> = {
    ArrowLeft: () => go(at - stepSeconds),
    ArrowDown: () => go(at - stepSeconds),
    ArrowRight: () => go(at + stepSeconds),
    ArrowUp: () => go(at + stepSeconds),
    Home: () => go(0),
    End: () => go(seconds),
    " ": toggle,
  };
  return (
    // Time goes from left to right, as in other players.
    <div role="group" aria-label={name} dir="ltr" className={styles["player"]}>
      <IconButton
        icon={isPlaying ? Pause : Play}
        label={t(isPlaying ? "audio.pause" : "audio.play")}
        onClick={toggle}
      />
      <div className={styles["wave"]}>
        <svg viewBox={`0 0 ${peakCount} 2`} preserveAspectRatio="none" aria-hidden>
          <path d={outlineOf(peaks)} />
        </svg>
        <svg
          viewBox={`0 0 ${peakCount} 2`}
          preserveAspectRatio="none"
          aria-hidden
          className={styles["played"]}
          style={{ clipPath: `inset(0 ${100 - (at / seconds) * 100}% 0 0)` }}
        >
          <path d={outlineOf(peaks)} />
        </svg>
        <input
          type="range"
          min={0}
          max={seconds}
          step="any"
          value={at}
          aria-label={t("audio.position")}
          aria-valuetext={t("audio.of", { at: clock(at), length: clock(seconds) })}
          className={styles["position"]}
          onChange={(event) => go(event.currentTarget.valueAsNumber)}
          onKeyDown={(event) => {
            const act = keys[event.key];
            if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            act();
          }}
        />
      </div>
      <div className={styles["foot"]}>
        <span aria-hidden className={styles["time"]}>
          {clock(at)} / {clock(seconds)}
        </span>
        <VolumeControl player={player} />
        <button
          type="button"
          className={styles["speed"]}
          aria-label={t("audio.speed", { speed: printNumber(speed) })}
          onClick={nextSpeed}
        >
          {printNumber(speed)}×
        </button>
        <DownloadLink href={sourceOf(address, true)} name={name} />
      </div>
    </div>
  );
}

/** Where the player is, and whether it plays. */
function usePlayback(player: RefObject<HTMLAudioElement | null>) {
  const [at, setAt] = useState(player.current?.currentTime ?? 0);
  const [isPlaying, setPlaying] = useState(player.current?.paused === false);
  const frame = useRef(0);
  useEffect(() => {
    const element = player.current;
    if (element === null) return undefined;
    const show = () => setAt(element.currentTime);
    // The event for it comes only four times a second.
    const follow = () => {
      show();
      frame.current = requestAnimationFrame(follow);
    };
    const change = () => {
      cancelAnimationFrame(frame.current);
      setPlaying(!element.paused);
      if (element.paused) show();
      else follow();
    };
    const events = ["play", "pause", "ended", "seeked"];
    for (const event of events) element.addEventListener(event, change);
    change();
    return () => {
      cancelAnimationFrame(frame.current);
      for (const event of events) element.removeEventListener(event, change);
    };
  }, [player]);
  return {
    at,
    isPlaying,
    seek(to: number) {
      if (player.current === null) return;
      player.current.currentTime = to;
      setAt(to);
    },
  };
}

/** A bar for each peak, as an SVG path. Silence has a line. */
function outlineOf(peaks: readonly number[]): string {
  return peaks
    .map((peak, i) => {
      const height = Math.max(0.06, peak * 0.96);
      return `M${i + 0.2} ${1 - height}h.6v${2 * height}h-.6z`;
    })
    .join("");
}

/** Minutes and seconds, in the digits of the language. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${printNumber(Math.floor(whole / 60))}:${printNumber(Math.floor((whole % 60) / 10))}${printNumber(whole % 10)}`;
}

/** More than fit beside each other on a wide screen at two pixels each would blur. */
const peakCount = 96;

/** Enough for the outline of a voice or of music, and a fifth of the memory. */
const sampleRate = 8_000;

/** The loudest moments of a sound in as many equal stretches of time, from 0 to 1. Rejects what the browser cannot decode. */
async function decodePeaks(bytes: ArrayBuffer): Promise<{ peaks: readonly number[]; seconds: number }> {
  const sound = await new OfflineAudioContext(1, 1, sampleRate).decodeAudioData(bytes);
  const channels = Array.from({ length: sound.numberOfChannels }, (_, i) => sound.getChannelData(i));
  const heights = Array.from({ length: peakCount }, (_, i) => {
    const [from, to] = [i, i + 1].map((edge) => Math.floor((edge * sound.length) / peakCount));
    return Math.max(...channels.map((samples) => loudest(samples.subarray(from, to))));
  });
  const highest = Math.max(...heights);
  return {
    peaks: heights.map((height) => (highest === 0 ? 0 : height / highest)),
    seconds: sound.duration,
  };
}

function loudest(samples: Float32Array): number {
  let height = 0;
  for (const sample of samples) height = Math.max(height, Math.abs(sample));
  return height;
}
