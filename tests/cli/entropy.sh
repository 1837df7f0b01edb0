# ztile entropy: any file to Huffman codes and back; the method and the threads do not show.
perl -e 'my $x = 7; for (1 .. 60000) { $x = ($x * 1103515245 + 12345) % 2147483648;
    print substr("AACGTTTG", $x >> 20 & 7, 1) }' >genome.txt
ztile entropy genome.txt
ztile entropy -q -d genome.txt.zth -o again.txt && cmp genome.txt again.txt && echo back
for symbols in words kmers=3 kmers=4:ACGT kmers=5:TGCA kmers=8:ACGT; do
    ztile entropy -q --symbols $symbols genome.txt -o k.zth -f
    ztile entropy -q -d k.zth -o again.txt -f && cmp genome.txt again.txt && wc -c <k.zth
done
for how in '--merge 10' '--merge 11,3 -x omp=2' '--merge 12,0 -x serial'; do
    # shellcheck disable=SC2086
    ztile entropy -q $how --symbols kmers=8:ACGT genome.txt -o merged.zth -f && cmp k.zth merged.zth
done
# pipes, an empty file, more than a block
ztile entropy -q - <genome.txt | ztile entropy -q -d - | cmp - genome.txt
: >empty
ztile entropy -q empty && ztile entropy -q -d empty.zth -o again.txt -f && wc -c <again.txt
head -c 16777219 /dev/zero >zeros
ztile entropy -q zeros && ztile entropy -q -d zeros.zth -o again.txt -f && cmp zeros again.txt &&
    wc -c <zeros.zth
# the default name of what comes back; what exists stays
status ztile entropy -q -d genome.txt.zth
rm genome.txt && ztile entropy -q -d genome.txt.zth && cmp genome.txt <(ztile entropy -q -d k.zth -o -)
# damage of any kind
head -c 5000 k.zth >cut.zth
cat k.zth k.zth >twice.zth
head -c -1 empty.zth | cat zeros.zth - >more.zth
perl -pe 's/^(.{40})./$1~/s' k.zth >flipped.zth
for file in cut twice more flipped; do
    status ztile entropy -d $file.zth -o no
done
status ztile entropy -d genome.txt -o no
status ztile entropy -d /dev/null -o no
ls no 2>/dev/null
# words that make no sense
for words in '--symbols letters' '--symbols kmers=0' '--symbols kmers=17' '--symbols kmers=9:ACGT' \
    '--symbols kmers=2:ACG' '--merge 13' '--merge 10,5' '--merge 10,' '-d --symbols bytes' ''; do
    # shellcheck disable=SC2086
    status ztile entropy $words ${words:+genome.txt} -o no
done
