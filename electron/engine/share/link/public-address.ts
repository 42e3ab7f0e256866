import { BlockList, isIP } from 'node:net';

/**
 * Addresses that are not of the public internet: a page or a redirect must never make Retrace speak to them. From the
 * registries of special-purpose addresses (RFC 6890 and its updates).
 */
const closed = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12], ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.88.99.0', 24],
  ['192.168.0.0', 16], ['198.18.0.0', 15], ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4],
] as const) closed.addSubnet(network, bits, 'ipv4');

/** Of version 6 only global unicast is public, less documentation, old tunnels and what holds an address of version 4. */
const open6 = new BlockList();
open6.addSubnet('2000::', 3, 'ipv6');
const closed6 = new BlockList();
for (const [network, bits] of [['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20]] as const) closed6.addSubnet(network, bits, 'ipv6');

/** True for an address anybody can reach. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !closed.check(address, 'ipv4');
  return version === 6 && open6.check(address, 'ipv6') && !closed6.check(address, 'ipv6');
}

/** True for an address of this machine itself. */
export const isLoopbackAddress = (address: string): boolean => (isIP(address) === 4 ? address.startsWith('127.') : address === '::1');

/** Private networks a share server of one's own may lie in. Link-local addresses are none: there the services of a cloud machine listen. */
const networks = new BlockList();
for (const [network, bits] of [['10.0.0.0', 8], ['100.64.0.0', 10], ['172.16.0.0', 12], ['192.168.0.0', 16]] as const) networks.addSubnet(network, bits, 'ipv4');
networks.addSubnet('fc00::', 7, 'ipv6');

/** True for an address of a private network. */
export const isNetworkAddress = (address: string): boolean => isIP(address) !== 0 && networks.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
