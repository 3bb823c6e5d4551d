# A function in assembly.
	.text
	.globl product
	.type product, @function
product:
	movl %edi, %eax
	imull %esi, %eax
end_of_product:
	ret
	.size product, .-product
	.section .note.GNU-stack,"",@progbits
