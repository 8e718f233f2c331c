/** More than fit beside each other on a wide screen at two pixels each would blur. */
export const peakCount = 96;

/** Enough for the outline of a voice or of music, and a fifth of the memory. */
const sampleRate = 8_000;

/** The loudest moments of a sound in as many equal stretches of time, from 0 to 1. Rejects what the browser cannot decode. */
export async function decodePeaks(
  bytes: ArrayBuffer,
): Promise<{ peaks: readonly number[]; seconds: number }> {
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
