// Every packet filter rule in the networks of containers, as the kernel has them: asked by somebody else's hand, in both of its filters.
import { execFileSync } from 'node:child_process';

const docker = (...words: readonly string[]): string => execFileSync('docker', [...words], { encoding: 'utf8' });

/** One text for each container. */
export const packetFiltersOf = (containers: readonly string[]): readonly string[] =>
  containers.map((id) => {
    const words = ['--rm', '--user', '0', '--cap-add', 'NET_ADMIN', '--network', `container:${id}`];
    const image = process.env['ACKPROOF_KAFKA_IMAGE'] ?? '';
    const script = 'iptables-nft -w -S 2>/dev/null; iptables-legacy -w -S';
    return docker('run', ...words, '--entrypoint', 'sh', image, '-c', script);
  });

/** Ids of the helpers that hold a cut of anybody's. */
export const cutHelpers = (): string => docker('ps', '-aq', '--filter', 'label=ackproof.cuts');
